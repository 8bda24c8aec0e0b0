import * as library from 'openid-client';
import { OAuthRefusal, refusalOf, refusing } from './refusal.ts';

export interface CodeSignIn {
  readonly userCode: string;
  /** An http address, as the server gave it. */
  readonly url: string;
  /** Settles when the person is done. @throws {OAuthRefusal}, or the reason of `signal` */
  finish(signal: AbortSignal): Promise<library.TokenEndpointResponse>;
}

/** A server that says nothing of the life of its codes is asked no longer than this. */
const MAX_SECONDS = 1_800;

/**
 * The device flow (RFC 8628): a code to type elsewhere, and a question every few seconds whether that was done.
 * @param parameters of the request for the code
 * @param resource for which the token is (RFC 8707)
 * @throws {OAuthRefusal}
 */
export async function beginCodeSignIn(
  configuration: library.Configuration,
  parameters: Record<string, string>,
  resource: string,
): Promise<CodeSignIn> {
  const device = await refusing(() => library.initiateDeviceAuthorization(configuration, parameters));
  const url = device.verification_uri_complete ?? device.verification_uri;
  // It is opened on this machine, where other schemes start other programs.
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new OAuthRefusal('invalid_response', 'the page for its code has no http address');
  return {
    userCode: device.user_code,
    url,
    async finish(signal) {
      const life = AbortSignal.timeout(Math.min(device.expires_in, MAX_SECONDS) * 1000);
      const either = AbortSignal.any([signal, life]);
      try {
        return await library.pollDeviceAuthorizationGrant(configuration, device, { resource }, { signal: either });
      } catch (thrown) {
        signal.throwIfAborted();
        if (life.aborted) throw refusalOf('expired_token');
        throw thrown;
      }
    },
  };
}
