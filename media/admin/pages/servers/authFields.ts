import type { authTypes } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { t } from '../../../shared/l10n.ts';
import type { FieldWords } from '../../form/formSpec.ts';

export type AuthType = (typeof authTypes)[number];
type Words = Readonly<Record<string, FieldWords>>;

const oneValue = (label: string, help: string): Words => ({
  'credentials.auth_value': { label, help, kind: 'secret' },
});
const client = (): Words => ({
  'credentials.client_id': { label: t('Client id') },
  'credentials.client_secret': { label: t('Client secret'), kind: 'secret' },
  'credentials.token_endpoint_auth_method': { label: t('How the client proves itself') },
  'credentials.client_private_key': {
    label: t('Private key of the client'),
    kind: 'secret',
    help: t('PEM, for private_key_jwt.'),
  },
  'credentials.client_private_key_id': { label: t('Id of the private key') },
  'credentials.scopes': { label: t('Scopes') },
  'credentials.upstream_resource': {
    label: t('Resource'),
    help: t('RFC 8707. "auto" takes the address of the server.'),
  },
});
const exchange = (): Words => ({
  token_exchange_endpoint: { label: t('Token exchange endpoint') },
  audience: { label: t('Audience') },
  subject_token_type: { label: t('Type of the caller’s token') },
  token_exchange_profile: { label: t('Profile') },
});

/** What each auth type asks for; the compiler asks for a row when there is a tenth. */
export const authFields: Readonly<Record<AuthType, (flow: string) => Words>> = {
  none: () => ({}),
  api_key: () => oneValue(t('API key'), t('Sent in the header x-api-key.')),
  bearer_token: () => oneValue(t('Token'), t('Sent as "Authorization: Bearer …".')),
  basic: () => oneValue(t('User and password'), t('As user:password; sent as "Authorization: Basic …".')),
  authorization: () => oneValue(t('Value of the header Authorization'), t('Sent word for word.')),
  token: () => oneValue(t('Token'), t('Sent as "Authorization: token …".')),
  oauth2: (flow) => ({
    oauth2_flow: {
      label: t('Flow'),
      help: t('authorization_code: each person signs in. client_credentials: the gateway has an account.'),
    },
    ...client(),
    issuer: { label: t('Issuer'), help: t('Everything else is found from it, or from the server itself.') },
    ...(flow !== 'client_credentials' && {
      authorization_url: { label: t('Authorization address') },
      registration_url: {
        label: t('Registration address'),
        help: t('A client is registered there where no client id is given.'),
      },
    }),
    token_url: { label: t('Token address') },
  }),
  oauth2_token_exchange: () => ({ ...exchange(), ...client() }),
  cloud_sigv4: () => ({
    'credentials.aws_region_name': { label: t('Region'), isRequired: true },
    'credentials.aws_service_name': { label: t('Service'), isRequired: true },
    'credentials.aws_access_key_id': { label: t('Access key id'), kind: 'secret' },
    'credentials.aws_secret_access_key': { label: t('Secret access key'), kind: 'secret' },
    'credentials.aws_session_token': { label: t('Session token'), kind: 'secret' },
    'credentials.aws_role_name': { label: t('Role to take on') },
    'credentials.aws_session_name': { label: t('Name of the session') },
  }),
};
