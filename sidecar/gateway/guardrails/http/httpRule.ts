import type { GuardrailParams } from '../../../protocol/gateway/guardrail.ts';
import type { GuardedCall, Rule } from '../call.ts';
import type { ServiceDeps } from './service.ts';

/** Asks a service about each call. What does so is loaded with the first call that is asked about. */
export function httpRule(
  name: string,
  params: GuardrailParams<'http'>,
  { service }: { readonly service: ServiceDeps },
): Rule {
  const open = async () => {
    const { GuardrailService } = await import('./service.ts');
    return new GuardrailService(name, params, service);
  };
  let opening: ReturnType<typeof open> | undefined;
  const opened = () => (opening ??= open());
  return {
    replacesArguments: true,
    pre: async (call) => (await opened()).before(call),
    during: async (call: GuardedCall, signal) => (await opened()).beside(call, signal),
    post: async (call, result) => (await opened()).after(call, result),
  };
}
