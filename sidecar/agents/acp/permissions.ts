/**
 * The option for the host's decision, chosen by `kind`: ids differ between agents, and one agent offers two of one kind.
 * `allow_always` is chosen only where the agent offers nothing less: it makes rules inside the agent that the host never
 * sees.
 *
 * @returns `undefined` when no option fits: then the request is answered as cancelled
 */
export function chooseOption(
  options: readonly { readonly optionId: string; readonly kind: string }[],
  allow: boolean,
): string | undefined {
  const kinds = allow ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  for (const kind of kinds) {
    const option = options.find((it) => it.kind === kind);
    if (option) return option.optionId;
  }
  return undefined;
}
