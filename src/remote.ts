/** `dist/remote.cjs`: loaded when this window attaches to a host elsewhere. */
export { RemoteHosts } from './remote/remoteHosts.ts';
