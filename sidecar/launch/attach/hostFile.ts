import * as z from 'zod';
import { Build } from '../../protocol/hostInfo.ts';
import { dataFiles } from '../dataDir.ts';
import { readJsonFile, removeFile, writeJsonFile } from '../jsonFile.ts';

/**
 * `host.json`, for people and for finding a host whose socket lies elsewhere. It proves nothing: a killed host leaves it
 * behind. Who holds the lock is the host, and who answers on the socket is it.
 */
export const HostFile = z.object({
  pid: z.int().positive(),
  /** RFC 3339, UTC. */
  startedAt: z.string(),
  socket: z.string().min(1),
  build: Build,
});
export type HostFile = z.infer<typeof HostFile>;

export const readHostFile = (dataDir: string): HostFile | undefined => readJsonFile(dataFiles.host(dataDir), HostFile);
export const writeHostFile = (dataDir: string, file: HostFile): void =>
  writeJsonFile(dataFiles.host(dataDir), file, file.pid);
export const removeHostFile = (dataDir: string): void => removeFile(dataFiles.host(dataDir));
