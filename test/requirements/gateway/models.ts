import { promisedBy } from '../promised.ts';

export const models = promisedBy('GATEWAY.md, Models', {
  'gateway.models.relayed':
    'Calls to models and their responses are forwarded byte for byte, except for the model name, the credential, and the usage that the gateway asks for.',
  'gateway.models.tokens': 'The tokens of a call are those that its response or stream counts.',
  'gateway.models.priced':
    'A call costs the price of its tokens, with cached tokens at their own prices. Prices in a record override the price table.',
  'gateway.models.budgets':
    'If a budget limits the caller, the maximum cost of a call is reserved before it, a call whose cost cannot be bounded is refused, and the reserved amount is charged if the tokens stay unknown.',
  'gateway.models.retried':
    'A backend that is busy, fails, or cannot be reached is avoided for a while. Its call is sent to another backend or again to the same one, at most three times in all and only before the first byte of a response.',
  'gateway.models.sdks':
    'The unmodified SDKs of OpenAI, Anthropic, and Google work with the gateway and raise their own errors.',
  'gateway.models.closed':
    'A caller can use and see only the models that its key, its team, and every other level allow.',
  'gateway.models.patterns':
    "A model whose name ends in * serves every name with that prefix that the caller's permissions allow.",
  'gateway.models.shown':
    'Administrators see where each backend of a model is served, its prices with their source and date, whether it is avoided, and who can use the model.',
  'gateway.models.recorded':
    'The record of a call to a model contains its tokens, also those of caches, its attempts, and the source of its prices. Daily sums contain the tokens too.',
  'gateway.manage.models':
    'Models and their keys are added, changed, read, and deleted only by callers that are allowed to.',
});
