import { promisedBy } from '../promised.ts';

const document = 'gateway specification';

export const service = promisedBy(`${document}, What the service does`, {
  'gateway.service.one-key': 'One virtual key lets its caller in on the MCP and on the A2A surface alike.',
  'gateway.service.key-needed': 'Callers authenticate with a virtual key; without one every surface refuses.',
  'gateway.service.identified': 'End user, trace and session of a call are known beside its key.',
  'gateway.service.tracked': 'Every call of every surface leaves a record with tokens, spend, outcome and time.',
  'gateway.service.draining':
    'A gateway that is asked to end serves for a while longer, whoever asks for its health or not, and a rolling restart refuses no connection (decided: open in the document).',
  'gateway.service.alive':
    'A process that answers says that it is alive, also without its database and while it drains (decided: open in the document).',
  'gateway.service.untranslated': 'The pass-through relays the cloud-agents API in its own format.',
});

export const activityMetrics = promisedBy(`${document}, Endpoint activity (metrics)`, {
  'gateway.activity.by-endpoint': 'Numbers are added up for each endpoint path.',
  'gateway.activity.automatic': 'Calls are tracked without any configuration.',
  'gateway.activity.successful': 'Successful Requests counts the requests that completed.',
  'gateway.activity.failed': 'Failed Requests counts the requests that ended in an error.',
  'gateway.activity.total': 'Total Requests is the sum of both.',
  'gateway.activity.success-rate': 'Success Rate is the share of successful requests in percent.',
  'gateway.activity.tokens': 'Total Tokens is the sum of prompt and completion tokens.',
  'gateway.activity.spend': 'Spend is what all requests to the endpoint cost.',
  'gateway.activity.daily': 'Daily trend is a series of the usage of an endpoint by day.',
});

export const activityRecord = promisedBy(`${document}, Endpoint activity (record)`, {
  'gateway.record.prompt-tokens': 'A record has its prompt tokens.',
  'gateway.record.completion-tokens': 'A record has its completion tokens.',
  'gateway.record.total-tokens': 'A record has its total tokens.',
  'gateway.record.spend': 'A record has what the request cost.',
  'gateway.record.status': 'A record says success or failure.',
  'gateway.record.timestamp': 'A record has its time.',
  'gateway.record.metadata': 'A record has further metadata.',
});

export const activityLog = promisedBy('gateway completion, Cost, spend log, endpoint activity', {
  'gateway.log.session': 'x-gateway-session-id is the session of a record; without it, the session of the MCP client.',
  'gateway.log.labels': 'Tags of a key and of its team label each of its records, beside those of the request.',
  'gateway.log.trace-filter': 'trace_id filters the log.',
  'gateway.usage.refused-tools': 'A tool that was refused, or is not there, is no tool of its own in sums.',
  'gateway.user.team-spend':
    'spend of a person is that of their own keys; what keys of teams spent that name them stands beside it.',
  'gateway.lists.parameters-known': 'A list refuses a parameter that it does not know, by name.',
});

export const activityPage = promisedBy(`${document}, Endpoint activity (admin UI)`, {
  'gateway.ui.usage-address': 'The Usage page is at /ui/?login=success&page=new_usage.',
  'gateway.ui.endpoint-tab': 'It has a tab Endpoint Activity.',
  'gateway.ui.endpoint-table': 'The tab has a table of all endpoints with the metrics.',
  'gateway.ui.endpoint-chart': 'The tab has a chart of successful against failed requests of each endpoint.',
  'gateway.ui.endpoint-days': 'The tab shows the trend by day.',
});
