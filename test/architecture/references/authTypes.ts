import type { AuthTypeDefinition } from '../../../sidecar/protocol/gateway/authTypes/definition.ts';
import { authTypes } from '../../../sidecar/protocol/gateway/authTypes/index.ts';
import { code, linkTo, plain, type Section } from './markdown.ts';

const title = 'Auth types';
export const authTypeLink = linkTo(title, 'auth type');
const serverPath = 'mcp_servers.{name}';

/** What each value of `auth_type` reads and sends. The fields themselves are those of a server and of its credentials. */
export const authTypeSections = (): readonly Section[] => [
  {
    title,
    level: 2,
    text: [`The values of a ${linkTo(serverPath, 'server')}'s \`auth_type\`, and the fields that each one uses.`],
    fields: [],
  },
  ...Object.entries(authTypes).map(([name, it]) => sectionOf(name, it)),
];

function sectionOf(name: string, definition: AuthTypeDefinition): Section {
  const { label, description, owns, credentials, needs = [], overHttpOnly, fields } = definition;
  const ofServer = Object.keys(fields).filter((it) => !it.startsWith('credentials.') && !(it in credentials));
  const ofCredentials = Object.keys(credentials).map((it) => `${code(it)}${needs.includes(it) ? ' (required)' : ''}`);
  const lines = [
    { words: `Fields of the ${linkTo(serverPath, 'server')}`, values: ofServer.map(code) },
    { words: `Fields of the server's ${linkTo(`${serverPath}.credentials`, 'credentials')}`, values: ofCredentials },
    { words: 'Headers that the gateway sets', values: owns.map(code) },
  ];
  const text = [
    `${plain(description === undefined ? label : `${label} (${description})`)}.`,
    ...(overHttpOnly ? ['Not available for servers that use the `stdio` transport.'] : []),
    lines.flatMap(({ words, values }) => (values.length === 0 ? [] : [`- ${words}: ${values.join(', ')}`])).join('\n'),
  ];
  return { title: `auth_type: ${name}`, level: 3, text: text.filter((it) => it !== ''), fields: [] };
}
