import { Fault } from '../../platform/faults.ts';
import { FlowResponse, type HttpResponse, isPacked } from '../../platform/httpMessages.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { ModelRecord } from '../../protocol/gateway/model.ts';
import type { Accounting } from '../activity/accounting.ts';
import type { Permit } from '../activity/limits/limits.ts';
import type { Recording } from '../activity/recording.ts';
import type { CallContext } from '../auth/caller.ts';
import type { Pool } from '../backends/net/pool.ts';
import { type Attempt, attempt } from './attempts.ts';
import { addressOf } from './backendAddress.ts';
import type { BackendChoice } from './backendChoice.ts';
import { budgetFor } from './callBudget.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { type PassGateDeps, passGate } from './passGate.ts';
import type { ModelCall } from './readCall.ts';
import { type FlowEnd, TappedFlow } from './tappedFlow.ts';
import { answerReader } from './usage/answerReader.ts';

export interface RelayDeps extends Pick<Runtime, 'timers'>, PassGateDeps {
  readonly pool: Pool;
  readonly choice: BackendChoice;
  readonly accounting: Pick<Accounting, 'admit' | 'hasBudget'>;
  /** The credential of a backend. @throws {Fault} `invalid_params` if it needs one and has none */
  readonly keyOf: (backend: ModelRecord) => Promise<string | undefined>;
}

/**
 * Sends a call to one of the backends of its model, and forwards the response as it arrives.
 *
 * @param recording finished when the response ends
 * @throws {Fault} before the response has begun
 */
export async function relayModelCall(
  deps: RelayDeps,
  asked: ModelCall,
  known: readonly ModelRecord[],
  context: CallContext,
  recording: Recording,
): Promise<HttpResponse> {
  const { choice, pool } = deps;
  const priced = { call: asked, backends: known, budget: await budgetFor(deps, asked, known, context) };
  const [{ call, backends, budget }, end] = await passGate(deps, priced, context);
  if (call !== asked)
    recording.note({ model: call.alias, model_group: call.alias, metadata: { instead_of: asked.alias } });
  const attempts: Attempt[] = [];
  let permit: Permit | undefined;
  try {
    const admitted = await deps.accounting.admit(context, { cost: budget.reserved });
    permit = admitted;
    const send = async (backend: ModelRecord, signal: AbortSignal) => {
      const address = addressOf(backend);
      const { provided } = address;
      const key = await deps.keyOf(backend);
      if (key !== undefined) recording.content?.hide(key);
      const { holdsKey } = context;
      return pool.request(
        address.target,
        {
          method: 'POST',
          url: address.urlFor(call.operation),
          headers: {
            ...requestHeaders(context.headers, provided.definition, key, holdsKey),
            ...context.trace?.headers(),
          },
          body: call.bodyFor(provided.name),
          isLongLived: true,
        },
        signal,
      );
    };
    const answering = attempt(backends, { ...deps, send }, context.signal, attempts);
    const { backend, response } = await context.progress.during(answering);
    const { provided, origin } = addressOf(backend);
    recording.note({
      model: provided.name,
      custom_llm_provider: provided.provider,
      api_base: origin,
      metadata: { model_id: backend.model_id, attempts, prices: budget.sourceOf(backend) },
    });
    if (response.status === 401) {
      response.body.destroy();
      throw refusedCredential(call.alias);
    }
    recording.answered();
    const isGood = response.status < 400;
    const type = response.headers['content-type'];
    const removes = isGood && call.addsUsage;
    const isCounted = isGood && !call.operation.isCount;
    const reader = isCounted ? answerReader(call.operation.dialect, String(type ?? ''), removes) : undefined;
    const finish = (how: FlowEnd) => {
      // When the caller disconnects, the request to the provider is canceled, which breaks the response.
      const ended = how === 'broken' && context.signal.aborted ? 'left' : how;
      const usage = reader?.usage(ended === 'whole');
      const tokens = usage ? usage.input + usage.output : 0;
      const spend = isGood ? budget.costOf(backend, usage) : 0;
      choice.used(backend, tokens);
      admitted.settle(spend, tokens);
      end(spend);
      if (!usage && isGood && !call.operation.isCount) recording.note({ metadata: { tokens: 'unknown' } });
      recording.finish({
        status: isGood && ended === 'whole' ? 'success' : 'failure',
        isPaid: isGood,
        spend,
        prompt_tokens: usage?.input,
        completion_tokens: usage?.output,
        cache_read_input_tokens: usage?.cacheRead,
        cache_creation_input_tokens: usage?.cacheCreation,
        ...(isGood ? endings[ended] : statusFailed(response.status)),
      });
    };
    const headers = responseHeaders(response.headers, provided.definition, !removes);
    const flow = new TappedFlow(response.body, reader, finish, isPacked(response) ? undefined : recording.content);
    return new FlowResponse(flow, response.status, headers);
  } catch (thrown) {
    permit?.settle(0);
    end(attempts.length > 0 ? 0 : undefined);
    recording.note({ metadata: { attempts } });
    throw thrown;
  }
}

const endings: Readonly<Record<FlowEnd, { readonly error?: string; readonly error_code?: string }>> = {
  whole: {},
  broken: { error: "The provider's answer was interrupted.", error_code: 'ended' },
  left: { error: 'The caller disconnected.', error_code: 'caller_left' },
};
const statusFailed = (status: number) => ({
  error: `The provider returned HTTP ${status}.`,
  error_code: `${status}`,
});

const refusedCredential = (alias: string) =>
  new Fault(
    'unavailable',
    `The provider of '${alias}' refused the gateway's credential. Ask an administrator to check the key of the model.`,
  );
