import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/logger.ts';
import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import type { GuardrailMode } from '../../../protocol/gateway/guardrails/definition.ts';
import type { ServiceSecret } from '../../../protocol/gateway/guardrails/httpService.ts';
import type { GuardCheck } from '../../mcp/mcpDeps.ts';
import { readStrict } from '../../wire/strictJson.ts';
import { type GuardedCall, type GuardRefusal, type PostVerdict, type PreVerdict, violation } from '../call.ts';
import { factOf } from '../signer/claims.ts';

export interface ServiceDeps {
  /** Posts through the network guard. @throws where there is no answer in time */
  post(
    target: { readonly name: string; readonly url: string; readonly allowPrivate: boolean; readonly timeoutMs: number },
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** @throws {Fault} where the secret is not there */
  secretOf(ref: ServiceSecret, guardrailName: string): Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Of a request, in bytes. What is larger was not checked. */
const MAX_BODY = 4_000_000;
const MAX_REASON = 500;
const depth = { maxDepth: 64, namesDepth: 64, numbers: true } as const;

const Reason = z.string().max(10_000).optional();
const Block = z.strictObject({ action: z.literal('block'), reason: Reason });
const Allow = z.strictObject({ action: z.literal('allow') });
const Arguments = z.strictObject({ action: z.literal('replace'), arguments: z.record(z.string(), z.unknown()) });
const Result = z.strictObject({
  action: z.literal('replace'),
  result: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }),
});
/** What a service may answer, by the time at which it was asked. */
const answers = {
  pre_mcp_call: z.union([Allow, Block, Arguments]),
  during_mcp_call: z.union([Allow, Block]),
  post_mcp_call: z.union([Allow, Block, Result]),
} as const;

/** What a service said, or that it said nothing that counts. */
type Asked<M extends GuardrailMode> = z.infer<(typeof answers)[M]> | { readonly action: 'failed' };

/** A service that judges tool calls, as the configuration names it. */
export class GuardrailService {
  readonly #name: string;
  readonly #params: GuardrailParams<'http'>;
  readonly #deps: ServiceDeps;

  constructor(name: string, params: GuardrailParams<'http'>, deps: ServiceDeps) {
    this.#name = name;
    this.#params = params;
    this.#deps = deps;
  }

  async before(call: GuardedCall): Promise<PreVerdict> {
    const answer = await this.#ask('pre_mcp_call', call, call.context.signal);
    if (answer.action === 'replace') return { arguments: answer.arguments };
    const refusal = this.#refusalOf(answer, 'The call was not run.');
    return refusal ? { refusal } : {};
  }

  async beside(call: GuardedCall, signal: AbortSignal): Promise<GuardRefusal | undefined> {
    return this.#refusalOf(await this.#ask('during_mcp_call', call, signal), 'The result is withheld.');
  }

  async after(call: GuardedCall, result: Readonly<Record<string, unknown>>): Promise<PostVerdict> {
    const answer = await this.#ask('post_mcp_call', call, call.context.signal, { result });
    if (answer.action === 'replace') return { result: answer.result };
    const refusal = this.#refusalOf(answer, 'The result is withheld.');
    return refusal ? { refusal } : {};
  }

  #refusalOf(
    answer: { readonly action: string; readonly reason?: string | undefined },
    consequence: string,
  ): GuardRefusal | undefined {
    if (answer.action === 'block') {
      const reason = answer.reason?.slice(0, MAX_REASON) ?? 'no reason was given';
      return violation(this.#name, `The guardrail '${this.#name}' refused the call: ${reason}`);
    }
    if (answer.action !== 'failed' || this.#params.on_error === 'allow') return undefined;
    const words = `The guardrail '${this.#name}' could not check the call. ${consequence} Try again, or ask an administrator.`;
    return violation(this.#name, words);
  }

  async #ask<M extends GuardrailMode>(
    mode: M,
    call: GuardedCall,
    signal: AbortSignal,
    more: object = {},
  ): Promise<Asked<M>> {
    const { clock, log } = this.#deps;
    const began = clock.monotonicMs();
    let answer: Asked<M> = { action: 'failed' };
    try {
      answer = await this.#read(mode, JSON.stringify({ ...this.#about(mode, call), ...more }), signal);
    } catch (thrown) {
      signal.throwIfAborted();
      log.warn({ guardrail: this.#name, mode, thrown }, 'A guardrail service did not judge a tool call.');
    }
    noteCheck(call, {
      guardrail_name: this.#name,
      guardrail_mode: mode,
      guardrail_status: statuses[answer.action],
      duration: Math.round(clock.monotonicMs() - began) / 1_000,
    });
    return answer;
  }

  /** The judged call, without anything that the caller or the gateway proves itself with. */
  #about(mode: GuardrailMode, { context: { caller }, server, tool, arguments: args }: GuardedCall): object {
    const facts = this.#params.caller.map((it) => [it, factOf(caller, it) ?? null]);
    return {
      guardrail_name: this.#name,
      mode,
      server: { server_id: server.server_id, name: server.alias || server.server_name || server.server_id },
      tool,
      arguments: args,
      caller: Object.fromEntries(facts) as object,
    };
  }

  async #read<M extends GuardrailMode>(mode: M, body: string, signal: AbortSignal): Promise<Asked<M>> {
    if (Buffer.byteLength(body) > MAX_BODY) throw new Error(`The call has more than ${MAX_BODY} bytes.`);
    const { url, allow_private_network: allowPrivate, timeout_ms: timeoutMs } = this.#params;
    const target = { name: this.#name, url, allowPrivate, timeoutMs };
    const { status, text } = await this.#deps.post(target, await this.#headers(body), body, signal);
    if (status !== 200) throw new Error(`The service returned HTTP ${status}.`);
    const read = readStrict(text, depth);
    if ('refused' in read) throw new Error('The answer of the service is not plain JSON.');
    return answers[mode].parse(read.value) as Asked<M>;
  }

  async #headers(body: string): Promise<Record<string, string>> {
    const { authentication, secret: ref } = this.#params;
    const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
    if (authentication === 'none' || !ref) return headers;
    const secret = await this.#deps.secretOf(ref, this.#name);
    if (authentication === 'bearer') return { ...headers, authorization: `Bearer ${secret}` };
    const at = String(Math.floor(this.#deps.clock.nowMs() / 1_000));
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
    return { ...headers, 'x-switchboard-timestamp': at, 'x-switchboard-signature': `sha256=${signature}` };
  }
}

function noteCheck({ of }: GuardedCall, check: GuardCheck): void {
  if (!of) return;
  of.outcome.checks = [...(of.outcome.checks ?? []), check];
  of.record.note({ metadata: { guardrail_information: of.outcome.checks } });
}

const statuses = {
  allow: 'success',
  replace: 'guardrail_intervened',
  block: 'guardrail_intervened',
  failed: 'guardrail_failed_to_respond',
} as const;
