import { promisedBy } from '../promised.ts';

export const commandLine = promisedBy('README, For a team', {
  'gateway.command.first-call':
    'Six commands from GATEWAY.md, in an empty folder, add a server, make a key and call a tool: by file, and by API.',
  'gateway.command.package':
    'npm installs the command alone, without another package and with nothing of the editor, in less than 8 MB.',
  'gateway.command.help': '--help names the roles of the command, and the flags of each role.',
  'gateway.command.flags-judged':
    'A flag or role that is not known, or a flag without its value, is named with exit code 2, and nothing starts.',
  'gateway.command.listen': '--host and --port of the gateway go before its configuration.',
  'gateway.command.linked': 'The command serves the pages too where it is started through a link, as npm installs it.',
  'gateway.command.node': 'A Node that is too old is told which one is needed.',
});

export const upkeep = promisedBy('GATEWAY.md, Maintain', {
  'gateway.command.commands':
    'Each command of the gateway has help, prints its result as text or JSON, and ends with an exit code of the table.',
  'gateway.command.init':
    'init writes a configuration without errors from five answers, with a key and a secret that only their owner can read, and replaces nothing unasked.',
  'gateway.command.no-secrets':
    'No flag of a command takes a secret: each is read from a file, standard input, or the environment.',
  'gateway.command.completion': 'Shells complete the roles, the commands and the flags of the command.',
  'gateway.command.installed':
    'With the installed package, six commands set up a gateway, add a server, make a key and call a tool.',
  'gateway.deploy.files':
    'The files for containers, Kubernetes and systemd start the gateway with its own flags, without privileges and secrets, and end it gently.',
  'gateway.upkeep.check':
    'check names each part of the configuration, the database, the secret, the servers, the identity providers, the alert targets and the secret stores that will not do.',
  'gateway.upkeep.backup':
    'A backup has all data as it was at one moment, also beside a running gateway, and is restored to either kind of database and to a later version.',
  'gateway.upkeep.earlier-version': 'The data and the configuration of version 0.1.0 are opened by this version.',
  'gateway.upkeep.later-version': 'Data of a later version is refused in words, and is not changed.',
  'gateway.upkeep.nothing-replaced': 'No backup is replaced, and a backup is restored to an empty database alone.',
  'gateway.upkeep.damaged':
    'A backup that is damaged, incomplete, or of a later version is refused, and nothing of it is restored.',
  'gateway.upkeep.rotate':
    'The sealing secret is rotated while no gateway runs, all or nothing, also where a rotation was killed, and the old one is kept.',
});

export const content = promisedBy('GATEWAY.md, Requests and responses', {
  'gateway.content.stored':
    'Where it is configured, the judged request and the response of a call are stored, and otherwise nothing is.',
  'gateway.content.clean': 'Nothing that is stored has a secret of a known kind, a credential of a call, or a header.',
  'gateway.content.opted-out':
    'Nothing is stored for a key or a team that is left out, and no request that a guardrail refused.',
  'gateway.content.bounded':
    'What is stored is cut at its limit, and what waits in memory is bounded, dropped beyond it, and counted.',
  'gateway.content.readers': 'Callers read their own calls, and administrators all of them, which the audit records.',
  'gateway.content.deleted':
    'Requests and responses are deleted after their days, also where none are stored any more.',
});

export const conversations = promisedBy('README, For a team', {
  'gateway.a2a.endpoint':
    'Calls to an agent go to what was registered, or to what its card names at the same origin, and nowhere else.',
  'gateway.a2a.http-json': 'A2A over HTTP+JSON is judged, limited, recorded and relayed as it is over JSON-RPC.',
  'gateway.a2a.own-errors':
    'A client reads the same error through the gateway as from the agent, in each era and by each binding.',
  'gateway.a2a.owners-written':
    'No answer of an agent names a context or task before it is written whose it is, so that every replica knows.',
  'gateway.a2a.owners-kept': 'An id that nobody named for as long as lines of calls are kept is forgotten.',
});

export const health = promisedBy('gateway completion, MCP server record and management routes', {
  'gateway.health.handshake':
    'A server is healthy when it shook hands with the gateway, and otherwise words say what it did instead.',
  'gateway.health.tools': 'A server is shown with the tools that it listed last.',
  'gateway.health.agent-card': 'An agent is healthy when it gives its card.',
});

export const resilience = promisedBy('GATEWAY.md, Servers that fail', {
  'gateway.resilience.off': 'Without settings, a server gets each request once, and nothing is counted for it.',
  'gateway.resilience.retry':
    'A request is sent again only where that can do no harm: lists, reads, handshakes, tools that say so, and what was never sent; within a budget.',
  'gateway.resilience.circuit':
    'After the failures that are set, requests are refused in words until one of them succeeds, and pages, answers and metrics say so.',
});

export const keptLists = promisedBy('GATEWAY.md, Lists that are kept', {
  'gateway.lists.kept':
    'A list of a server is asked for once for as long as the setting or the server allows, and no caller gets what the server gave to another.',
  'gateway.lists.dropped':
    'A list is asked for again when the server says that it changed, and when the registration does.',
});

export const toolSearch = promisedBy('GATEWAY.md, Tool search', {
  'gateway.tool-search.list':
    'A caller with more tools than the setting allows gets two that find and call them, at every address and in every version; without the setting, nobody does.',
  'gateway.tool-search.find':
    'A search finds tools by their names, titles and descriptions, and none that the caller may not use.',
  'gateway.tool-search.call': 'A call through call_tool is judged, limited and recorded as a call of the tool itself.',
  'gateway.tool-search.fresh':
    'A search reads lists that are at most a minute old, and none from before a registration or a right changed.',
  'gateway.tool-search.own-names': "A server's own tool of the same name is listed and called as before.",
});

export const guardrailServices = promisedBy('GATEWAY.md, Guardrails', {
  'gateway.guardrail.service':
    'A service is asked about a call or its result, and what it answers is done: allowed, refused with its reason, or replaced.',
  'gateway.guardrail.service.closed':
    'A call that a service did not judge is refused, unless the guardrail says otherwise.',
  'gateway.guardrail.service.told':
    'A service is told the call and what is set of its caller, never a credential, and can check that the gateway asks.',
  'gateway.manage.guardrails':
    'Administrators make, change, order and delete guardrails. Those of the file stay as they are, secrets are shown to nobody, and each replica applies a change.',
  'gateway.guardrail.try': 'A guardrail is tried on a call that is neither made nor recorded.',
  'gateway.guardrail.service.network': 'A service at a private address is asked only where that is set.',
});

export const networks = promisedBy('gateway completion, Attack and defence checklist (SSRF)', {
  'gateway.private-network.at-registration':
    'An address on this machine or in a private network is refused when it is registered, and the answer names allow_private_network.',
  'gateway.private-network.at-calls': 'A call that is refused for its address names allow_private_network.',
  'gateway.server.stdio-meant': 'A command without a transport is answered with stdio, which is what was meant.',
});

export const processes = promisedBy('GATEWAY.md, What the gateway guarantees (stdio processes)', {
  'gateway.stdio.share':
    'Twenty sessions of one key use twelve stdio servers with one process each, and sessions of a server that asks its clients back get a process each.',
  'gateway.stdio.share.callers': 'What one key brings about in a process that all keys share is not told another one.',
  'gateway.stdio.share.first-question':
    'If sessions began to share a process before its server asked anything, its first question goes to the session whose call waits for the answer, and the others leave the process.',
  'gateway.stdio.share.ids':
    'Sessions that share a process get their own answers and progress, whatever ids they choose.',
  'gateway.stdio.share.questions':
    'What a shared process asks goes to the one session whose call is under way, and is refused with words where that is not one.',
  'gateway.stdio.share.merged':
    'A shared process is asked for the lowest level and for each resource that a session wants, and each session hears what it asked for.',
  'gateway.stdio.limits':
    'The configuration limits how many processes run and how long they are idle; one that no session uses makes room at once.',
  'gateway.stdio.shown': '/metrics has the count and the memory of the processes of each server.',
  'gateway.lists.ready':
    'A merged list answers a client that listens within a second with what is ready, says in words what is missing, and notifies of the rest.',
});

export const robustness = promisedBy('gateway completion, Errors', {
  'gateway.streams.first-event':
    'A subscription brings what a server says from its first word on, also where it acknowledges late or never.',
  'gateway.streams.rejoined': 'The stream of a session goes on with a server that lost its session and got a new one.',
  'gateway.streams.cut-goes-on':
    'A call of a session goes on when its connection breaks, and the client that comes back with Last-Event-ID gets what followed on that stream, and nothing else.',
  'gateway.replicas.nothing-lost':
    'What a client sends to one replica reaches the call, the question and the server at the replica that has it, and its messages reach the client at whichever replica it comes back to; where that replica is gone, the client is told.',
  'gateway.streams.cut-limits':
    'A call without a connection is cancelled when the client stays away too long, when it sends more than is kept, and when too many newer calls of its key lost their connections; the record says which.',
  'gateway.eras.bridge':
    'A client of the older era can use a server that only speaks the newer one: lists, calls, progress, log messages, subscriptions, and what the server asks for, at any replica.',
  'gateway.eras.forgotten': 'A server that changes while it is asked which era it speaks is asked again.',
  'gateway.error.too-large': 'A body over the limit is answered with 413.',
  'gateway.log.no-stacks': 'A refusal that is expected is one line of the log without a stack.',
  'gateway.tools.usable-names':
    'A tool whose name holds a control character, a line end or markup is neither listed nor called, and the rest of the list works.',
});

export const metrics = promisedBy('README, For a team (metrics)', {
  'gateway.metrics.calls': '/metrics counts calls by surface, server and outcome, and failures by their error.',
  'gateway.metrics.latency': '/metrics has a histogram of how long calls took, by surface and server.',
  'gateway.metrics.first-byte':
    '/metrics has a histogram of the time to the first byte of a response, by surface and server.',
  'gateway.metrics.callers':
    '/metrics has calls and spend by team and key alias, and what is left of their budgets; a key of the role proxy_admin_viewer whose allowed_routes are /metrics reads it and nothing else.',
  'gateway.metrics.state':
    '/metrics has the open streams by surface, whether each server passed its health check, and the connections to PostgreSQL.',
  'gateway.metrics.dashboard': 'The queries of the Grafana dashboard name only metrics that /metrics has.',
  'gateway.metrics.equal-log': 'Every counter of /metrics equals what the log of calls adds up to.',
  'gateway.metrics.bounded': 'The series of /metrics stay few: names beyond a limit are called other.',
});

export const exports = promisedBy('README, For a team (exports)', {
  'gateway.export.spend': 'The log of calls is exported as CSV and JSON Lines, whole or by day, piece by piece.',
  'gateway.export.audit':
    'The audit is exported as CSV and JSON Lines, whole or by day, piece by piece, by whoever may read it.',
});

export const logs = promisedBy('GATEWAY.md, Logs', {
  'gateway.logs.schema': 'Every line of the log is JSON as GATEWAY.md describes it, and holds no secret.',
  'gateway.logs.level': 'Lines below the configured level are not written.',
  'gateway.logs.rotation':
    'The log file is begun anew by size and by day without losing a line, and earlier files are compressed and deleted as configured.',
  'gateway.logs.sent':
    'A collector over OTLP and an HTTP endpoint get every line in order, also after a time in which they did not answer.',
  'gateway.logs.dropped':
    'A full disk and a service that is away disturb no call: lines wait in a bounded queue, and /metrics counts those that are dropped.',
});

export const retention = promisedBy('GATEWAY.md, What the gateway guarantees', {
  'gateway.retention.audit': 'Entries of the audit are kept for ever, or for as many days as the configuration says.',
});

export const traces = promisedBy('README, For a team (traces)', {
  'gateway.traces.linked':
    'With a collector configured, a call has a span below that of its caller, and one below it whose ID the backend gets: for MCP, REST, A2A, models and the cloud agents.',
  'gateway.traces.meta':
    'Trace context goes on from _meta of an MCP message (SEP-414), and every MCP server gets it there, also over stdio.',
  'gateway.traces.strict':
    'A traceparent that does not keep to W3C Trace Context begins a new trace, and its tracestate is not passed on.',
  'gateway.traces.sampled': 'The sampled flag of the caller decides whether a call is exported, else the ratio does.',
  'gateway.traces.metrics': 'The collector gets metrics under the names of the conventions, with its credential.',
  'gateway.traces.apart': 'A collector that refuses or is away disturbs no call, and the log says so without secrets.',
  'gateway.traces.off': 'Without a collector nothing is exported and no trace header is added.',
});

export const management = promisedBy('gateway completion, Events, limits, versioning', {
  'gateway.openapi.surfaces':
    '/openapi.json has the REST tool routes, A2A and the cloud agents beside the management routes.',
  'gateway.permission.unknown-names':
    'An administrator who writes a permission that names a server, a tool or an agent that nobody has is told so in the answer.',
});

export const authorizationServer = promisedBy('README, For a team (signing in)', {
  'gateway.oauth.discovery':
    'MCP clients find the authorization server of the gateway, and learn nothing of which servers there are.',
  'gateway.oauth.clients': 'MCP clients register themselves (RFC 7591).',
  'gateway.oauth.tokens': 'A person lets an MCP client in, and the client gets tokens for one address.',
  'gateway.oauth.revoked': 'A client ends its tokens, and a key asks of those that come from it.',
  'gateway.oauth.sign-in':
    'A person signs in to a server through the gateway, from its pages or on the way of a client.',
});

export const workers = promisedBy('GATEWAY.md, Workers', {
  'gateway.workers.port':
    'Several processes judge and relay the calls to one port, and one process has everything that outlasts a call, also the log and the metrics.',
  'gateway.workers.limits': 'Limits and budgets are as exact as with one process, however calls spread.',
  'gateway.workers.revoked': 'A key that is deleted is refused by every worker within a second.',
  'gateway.workers.killed':
    'A worker that ends is replaced, what it answered is recorded, and what its calls held is given back.',
  'gateway.workers.owner-killed': 'No process outlives the owner of the workers.',
  'gateway.workers.stop': 'A gateway that is asked to stop lets the calls at its workers end.',
  'gateway.workers.flag': 'A number of workers that cannot be is refused in words.',
});

export const managed = promisedBy('gateway completion, management routes', {
  'gateway.manage.keys': 'Keys are made, read, changed, rotated, blocked and deleted by those who may.',
  'gateway.manage.people': 'Teams, organisations, users, end users and budgets are kept.',
  'gateway.manage.servers':
    'MCP servers, toolsets and what people keep for servers of their own are registered, read and changed.',
  'gateway.manage.secrets-with-record':
    'A record and the secrets that belong to it are written, changed and deleted in one step, and changes at the same time do not undo each other.',
  'gateway.manage.access-groups': 'Groups of servers and agents are kept.',
  'gateway.manage.agents': 'Agents and credentials of providers are registered, read and changed.',
  'gateway.manage.oversight': 'Administrators read the audit and the guardrails, and why a caller may use what.',
  'gateway.manage.alerts': 'Rules and targets of alerts are registered, tried, muted, and their messages shown.',
  'gateway.ui.served': 'The gateway serves its pages, and signs browsers in and out with a key.',
});

export const addresses = promisedBy('ARCHITECTURE, Cross-cutting (addresses)', {
  'gateway.address.judged':
    'One table says of every address who may ask, which groups of routes let a key in, and what answers; any other is 404.',
  'gateway.address.counted': 'Requests are counted under the route that served or refused them.',
});

export const pages = promisedBy('README, Gateway (dashboard)', {
  'gateway.ui.warnings': 'What a permission names that nobody has is shown on the pages after it was saved.',
  'gateway.ui.cloud-agents': 'The pages offer the cloud agents among the agents that a record may use.',
  'gateway.ui.access-words': 'The page of keys says what each key itself gives access to, single tools too.',
  'gateway.ui.unseen-characters': 'Names that differ by characters that nobody sees are shown with these written out.',
  'gateway.ui.tools-known':
    'The page of servers shows how many tools each listed last, and how many of them are offered.',
  'gateway.ui.configured-shown':
    'A record of the configuration file opens to be looked at, and says where it comes from.',
  'gateway.catalog':
    'The catalog has the MCP servers that a key may use and those that administrators list, with health and owners and without how they are reached.',
  'gateway.catalog.requests':
    'Who may not use a listed server can request access. Administrators grant or refuse it; a grant adds that server to the key and passes no ceiling.',
  'gateway.ui.catalog':
    'The page of the catalog shows requests to administrators, and what became of one to who asked.',
  'gateway.ui.playground':
    'The playground calls tools, agents, and models with the key that signed in, and the calls are recorded.',
  'gateway.ui.simple':
    'Callers who see only their own data have few pages in the navigation at first, and all of them after a button.',
  'gateway.ui.pickers':
    'Forms offer records by their names. Several budgets, members, and limits of servers are rows of fields.',
  'gateway.ui.call-content':
    'The details of a call show its request and response when somebody asks for them, or say why there are none.',
  'gateway.ui.live-logs':
    'The page of logs can follow the calls. It asks in steps, for what ended since, while somebody can see it, and holds 200 calls.',
  'gateway.ui.record-pages':
    'Each record has a page with its settings, calls, errors, last use, spend, what is left of its budget, and who uses it.',
  'gateway.activity.record-use':
    'The calls of a record, and the records that name it, are told to who sees everything, and of their own to everybody.',
});

export const imports = promisedBy('README, Gateway (configuration of other programs)', {
  'gateway.import.litellm-transport':
    'A server of a LiteLLM file without a transport is reached over streamable HTTP, as there.',
  'gateway.import.openapi': 'An OpenAPI entry of a LiteLLM file becomes a server with the same document.',
  'gateway.import.no-secret-in-address':
    'A credential in an address of an imported file is not taken over, and is reported.',
});

export const alerts = promisedBy('GATEWAY, Alerts', {
  'gateway.alerts.occasions':
    'Budgets, servers, tool definitions, guardrails, error rates, keys and certificates are reported once for each occasion.',
  'gateway.alerts.signed':
    'A webhook is signed with ID, time and body, and an attempt that is repeated has the same ID.',
  'gateway.alerts.order': 'Each target gets its messages in order: what is not taken is tried again, and others wait.',
  'gateway.alerts.dead-letters': 'A message that cannot be delivered is kept, shown, and sent again by hand.',
  'gateway.alerts.grouped': 'Events of one kind become one message with a count, and a muted rule sends none.',
  'gateway.alerts.secrets': 'Secrets of targets are sealed, and neither answers nor messages nor logs show them.',
  'gateway.alerts.killed':
    'When the replica that delivers is killed, the next one goes on, in order, under the same IDs.',
  'gateway.alerts.network': 'Targets on this machine and in private networks are refused unless that is allowed.',
});
