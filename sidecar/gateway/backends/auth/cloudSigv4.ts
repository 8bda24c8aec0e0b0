import { checkAws, readAwsOptions } from '../aws/options.ts';
import { signRequest } from '../aws/signRequest.ts';
import type { Authenticator } from './authenticator.ts';

/** A SigV4 signature over each request, made when every other header is final. */
export const cloudSigv4: Authenticator = {
  check: (_, secrets) => checkAws(secrets, 'credentials.'),
  async credential({ server, secrets }, deps) {
    checkAws(secrets, 'credentials.');
    const options = readAwsOptions(secrets);
    const read = () => deps.aws.credentials(`mcp ${server.server_id} ${server.updated_at ?? ''}`, options);
    await read(); // a server without credentials fails here, before anything is sent
    return {
      headers: {},
      resolution: 'aws-sigv4',
      identity: '',
      sign: async (request) => signRequest(request, { ...options, credentials: await read(), nowMs: deps.nowMs() }),
    };
  },
};
