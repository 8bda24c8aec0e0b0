/** A known vulnerability or attack, and the defence that is promised against it. */
export interface SecurityRow {
  /** Where it stands. */
  readonly source: string;
  /** What a test that shows the defence says in its title, or in that of a `describe` around it. */
  readonly name: string;
  /** The defence, in our words. */
  readonly fact: string;
}

function rows<Id extends string>(
  section: string,
  facts: Readonly<Record<Id, readonly [name: string, fact: string]>>,
): Readonly<Record<Id, SecurityRow>> {
  const source = `gateway completion ${section}`;
  const all = Object.entries<readonly [string, string]>(facts).map(([id, [name, fact]]) => [
    id,
    { source, name, fact },
  ]);
  return Object.fromEntries(all) as Record<Id, SecurityRow>;
}

export const vulnerabilities = rows('5.1', {
  'security.CVE-2026-42271': [
    'CVE-2026-42271',
    'Only administrators try servers by REST, and start no program but those that are allowed.',
  ],
  'security.CVE-2026-48710': [
    'CVE-2026-48710',
    'The path that is judged is the one that is served; targets in absolute form are refused.',
  ],
  'security.CVE-2026-49468': ['CVE-2026-49468', 'No Host makes a key unnecessary.'],
  'security.CVE-2026-12798': ['CVE-2026-12798', 'Every address of a registration goes through the same guard.'],
  'security.VERIA-57': [
    'VERIA-57',
    'States are sealed, good once and for one browser; redirect addresses are compared whole.',
  ],
  'security.CVE-2025-64443': [
    'CVE-2025-64443',
    'Host and Origin have to be ours, and a key is needed on loopback too.',
  ],
  'security.CVE-2025-9611': ['CVE-2025-9611', 'The same.'],
  'security.CVE-2025-49596': ['CVE-2025-49596', 'A local listener wants a key.'],
  'security.CVE-2025-6514': ['CVE-2025-6514', 'Addresses of a sign-in are http or https, and go through no shell.'],
  'security.CVE-2025-54136': ['CVE-2025-54136', 'A tool that changed since it was approved is held back.'],
  'security.CVE-2025-54994': ['CVE-2025-54994', 'Programs get their arguments as a list, without a shell.'],
  'security.CVE-2025-69196': ['CVE-2025-69196', 'A token is good for the address that it was given for (RFC 8707).'],
  'security.CVE-2026-26118': ['CVE-2026-26118', 'Metadata addresses are never reached.'],
  'security.CVE-2026-45609': [
    'CVE-2026-45609',
    'What discovery and registration name goes through the guard of addresses.',
  ],
  'security.CVE-2026-44430': ['CVE-2026-44430', 'Every IPv6 form that carries an IPv4 address is judged as that.'],
  'security.CVE-2026-49857': ['CVE-2026-49857', 'The same.'],
  'security.ContextForge-3892': [
    'ContextForge #3892',
    'A scope that is malformed or unknown is nothing, and never all.',
  ],
  'security.Kong-3.13': [
    'Kong 3.13',
    'Paths are not read twice, denied tools are not listed, headers of callers are not forwarded unasked.',
  ],
  'security.CVE-2026-27896': [
    'CVE-2026-27896',
    'Members that differ from a known one in case alone are refused before a reader that ignores case sees them.',
  ],
  'security.GHSA-q382-vc8q-7jhj': [
    'GHSA-q382-vc8q-7jhj',
    'So are those that fold to a known one by U+017F, U+212A, a NUL or an underscore.',
  ],
  'security.GHSA-4gph-2hhr-5mwg': [
    'GHSA-4gph-2hhr-5mwg',
    'A member that is there twice is refused, and what is sent is written from what was judged.',
  ],
  'security.GHSA-w48q-cv73-mx4w': ['GHSA-w48q-cv73-mx4w', 'Protection from rebinding is on without being asked for.'],
});

export const attacks = rows('5.2', {
  'security.confused-deputy': ['confused deputy', 'Consent is for one client, one redirect address and one person.'],
  'security.token-passthrough': [
    'token passthrough',
    'A backend gets neither the virtual key nor the token that came in.',
  ],
  'security.token-mix-up': [
    'token mix-up',
    'Tokens are kept by person and server, and nothing stands in for one that is missing.',
  ],
  'security.secret-of-another-origin': [
    'secret of another origin',
    'What was given for a server at one origin, by a person or an administrator, goes to no other one, also after the server or its address for tokens moved.',
  ],
  'security.authorization-server-mix-up': [
    'authorization-server mix-up',
    'The issuer is checked in metadata and in answers.',
  ],
  'security.pinned-calls': [
    'tool poisoning',
    'Before each call the definition is looked at again: a change of any word that a model reads holds the call back, for callers that never list too.',
  ],
  'security.guessed-keys': [
    'guessed keys',
    'An address that sends too many unknown keys is told to wait, and nothing is looked up for it; keys that were good go on there.',
  ],
  'security.forged-token': [
    'forged token',
    'A token is believed only with the signature of a key that its own issuer publishes now, for this gateway, and in a header; others count as guessed keys.',
  ],
  'security.registration-flood': [
    'flood of registrations',
    'An address that registers too many OAuth clients is told to wait; others are not.',
  ],
  'security.stdio-injection': [
    'code in a stdio configuration',
    'A team gateway starts no program whose arguments or variables make it run other code than the program that was allowed.',
  ],
  'security.redirected-credentials': [
    'credentials on redirects',
    'A redirect of a backend is not followed: no other origin gets the request or a credential.',
  ],
  'security.foreign-conversation': [
    'a foreign contextId or taskId',
    'A context or task of an agent is of use to the key and end user that it was given to, and to nobody else.',
  ],
  'security.redirected-discovery': [
    'a redirect of OAuth discovery',
    'A redirect of metadata, registration or token is not followed: another origin gets nothing and is not believed.',
  ],
  'security.inside-notifications': [
    'push notifications to inside',
    'An agent is asked to notify public https addresses alone: loopback, private and metadata addresses are refused.',
  ],
  'security.crossed-answers': [
    'answers to the wrong client',
    'Two callers with the same request ids at one server each get their own answers.',
  ],
  'security.template-expressions': [
    'regular expressions in URI templates',
    'Templates of resources are compared to the letter and never run as expressions.',
  ],
  'security.foreign-answers': [
    'another extension answering approvals',
    'A command answers a tool call or a question for files only with the one-time id that the notification or row on the screen carries; every other call of it shows the request at most.',
  ],
  'security.changed-files': [
    'workspace files that change while trust is asked',
    'Nothing of a folder is read before it is trusted, and what the disk says then is what counts; a step that a person was shown runs as it was shown, or not at all.',
  ],
  'security.trust-taken-back': [
    'trust taken back',
    'A window without trust may refuse what an agent asks, but neither permits a tool call nor gives an agent a message, also one that runs already.',
  ],
  'security.answers-as-commands': [
    'answers that become commands',
    'A runbook takes an answer into a command only where the shell reads it as one word; elsewhere it is not started, and says what to change.',
  ],
  'security.run-by-others': [
    'folders that are copied, moved or removed whole',
    'No client brings what others run (hooks, tasks, servers, plugins) into a folder of a session within a folder, or by a new name for one; nor does a folder take the files of the host along. The same holds where the folder of a session is itself one of those.',
  ],
  'security.dns-rebinding': ['DNS rebinding', 'Host and Origin are compared whole, with their port.'],
  'security.ssrf': [
    'SSRF',
    'Every address that is gone to is judged after it was resolved, and redirects are not followed.',
  ],
  'security.tool-poisoning': [
    'tool poisoning',
    'Definitions are pinned; people are shown them without hidden characters.',
  ],
  'security.shadowing': ['shadowing', 'Names of several servers are prefixed, and ambiguous ones dropped.'],
  'security.prompt-injection': ['prompt injection in results', 'Results are handed on and never read as instructions.'],
  'security.header-injection': [
    'header injection',
    'Names and values of headers are judged, lengths are single, hops keep their own.',
  ],
  'security.prefix-confusion': ['prefix confusion', 'A header for one server is not for its neighbour.'],
  'security.path-confusion': ['path confusion', 'Encoded slashes, dot segments and double slashes are nowhere.'],
  'security.session-hijack': ['session hijack', 'A session is sealed and good for the key that began it.'],
  'security.fan-out': [
    'fan-out amplification',
    'One request asks so many servers, and one key so many requests at a time.',
  ],
  'security.deep-json': [
    'deep JSON',
    'Depth and size are bounded, and what looks through texts takes time by their length.',
  ],
  'security.secrets-at-rest': ['secrets at rest', 'They are sealed for their row, with a nonce each.'],
  'security.secrets-in-logs': ['secrets in logs and errors', 'Planted ones are in no answer, log, file or argument.'],
  'security.key-in-query': ['key in a query', 'It is refused.'],
  'security.privilege-escalation': [
    'privilege escalation',
    'Nobody gives what they do not have, and a rotated key keeps its scope.',
  ],
  'security.budget-race': ['budget race', 'What a call may cost is reserved before it.'],
  'security.answer-desync': [
    'answer desynchronization',
    'If a backend sends bytes on an idle connection or after an answer, the connection is closed, and no call receives them.',
  ],
  'security.enumeration': ['enumeration', 'What is hidden and what is nowhere are answered alike.'],
  'security.supply-chain': ['supply chain', 'A program sees what was listed for it, and nothing of the gateway.'],
});
