import { promisedBy } from '../promised.ts';

const document = 'gateway specification';

export const cloudRecord = promisedBy(`${document}, Cloud agent record and its states`, {
  'gateway.cloud.record.id': 'The launched agent comes back with its opaque id.',
  'gateway.cloud.record.name': 'It comes back with its name.',
  'gateway.cloud.record.status': 'It comes back with its status, CREATING at launch.',
  'gateway.cloud.record.source': 'It comes back with source.repository and source.ref.',
  'gateway.cloud.record.target': 'It comes back with target.branchName, target.url and target.autoCreatePr.',
  'gateway.cloud.record.createdAt': 'It comes back with createdAt.',
});

export const cloudRelay = promisedBy(`${document}, Cloud-agent pass-through`, {
  'gateway.cloud.base': '/cloudagents takes the place of the base address of the service.',
  'gateway.cloud.any-path': 'Whatever follows the prefix is relayed as a route of the provider.',
  'gateway.cloud.virtual-key': 'The caller sends a virtual key as bearer.',
  'gateway.cloud.credential': 'The service gets its own credential as HTTP Basic instead of the virtual key.',
  'gateway.cloud.credential.admin':
    'The credential is added in the admin UI under Models + Endpoints, LLM Credentials.',
  'gateway.cloud.list': 'GET /v0/agents lists agents.',
  'gateway.cloud.launch': 'POST /v0/agents launches an agent.',
  'gateway.cloud.status': 'GET /v0/agents/{id} tells how an agent is.',
  'gateway.cloud.delete': 'DELETE /v0/agents/{id} deletes an agent.',
  'gateway.cloud.conversation': 'GET /v0/agents/{id}/conversation reads what was said.',
  'gateway.cloud.followup': 'POST /v0/agents/{id}/followup adds a follow-up.',
  'gateway.cloud.stop': 'POST /v0/agents/{id}/stop stops an agent.',
  'gateway.cloud.me': 'GET /v0/me tells about the credential.',
  'gateway.cloud.models': 'GET /v0/models lists models.',
  'gateway.cloud.repositories': 'GET /v0/repositories lists repositories.',
  'gateway.cloud.launch.prompt': 'A launch carries prompt.text to the service.',
  'gateway.cloud.launch.source': 'A launch carries source.repository and source.ref to the service.',
  'gateway.cloud.launch.target': 'A launch carries target.autoCreatePr to the service.',
  'gateway.cloud.launch.json': 'A launch is JSON, and is named so to the service.',
  'gateway.cloud.followup.prompt': 'A follow-up carries prompt.text to the service.',
  'gateway.cloud.no-body': 'Stop, delete, status, lists, me and models are relayed without a body.',
  'gateway.cloud.version': 'The ten routes stand under /v0, and are relayed there.',
});

export const cloudBehaviour = promisedBy(`${document}, Behaviour of the pass-through`, {
  'gateway.cloud.verbatim': 'Bodies pass byte for byte in both directions.',
  'gateway.cloud.no-streaming':
    'Answers of the ten routes are whole bodies, as the service sent them, and no streams of events.',
  'gateway.cloud.cost': 'A call costs 0.',
  'gateway.cloud.classified':
    'Each request is logged as <prefix>/<prefix>:agent:create, with an end for each operation.',
  'gateway.cloud.log.status': 'The entry has the status.',
  'gateway.cloud.log.duration': 'The entry has the duration.',
  'gateway.cloud.log.provider': 'The entry has the provider.',
  'gateway.cloud.log.api-base': 'The entry has the base address of the service.',
  'gateway.cloud.log.metadata': 'The entry has metadata.',
  'gateway.cloud.no-end-user': 'No end user is tracked, and none is told to the service.',
});
