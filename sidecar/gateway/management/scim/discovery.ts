import { urns } from './wire.ts';

const discovery = 'urn:ietf:params:scim:schemas:core:2.0';

/** RFC 7643, 5: what this service can do. */
const serviceProvider = {
  schemas: [`${discovery}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token that an administrator of the gateway made.',
    },
  ],
};

const resourceTypes = [
  { schemas: [`${discovery}:ResourceType`], id: 'User', name: 'User', endpoint: '/Users', schema: urns.user },
  { schemas: [`${discovery}:ResourceType`], id: 'Group', name: 'Group', endpoint: '/Groups', schema: urns.group },
];

const text = {
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
};
const attribute = (name: string, more: object = {}) => ({ ...text, name, ...more });

const schemas = [
  {
    id: urns.user,
    name: 'User',
    attributes: [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      attribute('displayName'),
      attribute('name', {
        type: 'complex',
        subAttributes: ['givenName', 'familyName', 'formatted'].map((it) => attribute(it)),
      }),
      attribute('emails', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
      }),
      attribute('active', { type: 'boolean' }),
    ],
  },
  {
    id: urns.group,
    name: 'Group',
    attributes: [
      attribute('displayName', { required: true, uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      attribute('members', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value', { caseExact: true })],
      }),
    ],
  },
].map((it) => ({ schemas: [`${discovery}:Schema`], ...it }));

export type DiscoveryName = 'ServiceProviderConfig' | 'ResourceTypes' | 'Schemas';

const listOf = (all: readonly object[]) => ({
  schemas: [urns.list],
  totalResults: all.length,
  startIndex: 1,
  itemsPerPage: all.length,
  Resources: all,
});

/** @param id of a resource type or schema @returns `undefined` where there is no such document */
export function discoveryDocument(name: DiscoveryName, id: string | undefined): object | undefined {
  if (name === 'ServiceProviderConfig') return id === undefined ? serviceProvider : undefined;
  const all = name === 'Schemas' ? schemas : resourceTypes;
  return id === undefined ? listOf(all) : all.find((it) => it.id === id);
}
