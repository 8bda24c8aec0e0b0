/** `dist/oauth.cjs`: loaded when somebody signs in, or a sign-in has to be renewed. */
export { OAuthServer } from './oauth/oauthServer.ts';
export { signInTo } from './requests/signInFlow.ts';
