import { promisedBy } from '../promised.ts';

export const models = promisedBy('GATEWAY.md, Models', {
  'gateway.models.relayed':
    'A call to a model and its answer travel byte for byte, but for what the gateway decides: the name of the model, its credential, and the usage that it asks for.',
  'gateway.models.tokens': 'Tokens of a call are those that the answer or the stream itself counts.',
  'gateway.models.priced':
    'A call costs what its tokens cost, those of prompt caches at their own prices; the prices of a record win over the table.',
  'gateway.models.budgets':
    'Where a budget limits the caller, the most that a call may cost is set aside before it, a call whose cost cannot be bounded is refused, and tokens that stay unknown are charged at that.',
  'gateway.models.retried':
    'A backend that is busy, fails or cannot be reached is left alone for a while, and its call goes to another one or again to it, before the first byte of an answer and three times at most.',
  'gateway.models.sdks':
    'The SDKs of OpenAI, Anthropic and Google work in front of the gateway unmodified, and raise their own kinds of errors.',
  'gateway.models.closed':
    'A caller uses and sees the models that its key, team and every other level let it, and no others.',
  'gateway.models.patterns':
    'A model whose name ends in * serves each name that starts so, as far as the permissions of the caller let that name.',
  'gateway.manage.models': 'Models and their keys are added, changed, read and deleted by those who may.',
});
