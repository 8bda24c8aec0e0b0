/**
 * The option that says what the host decided, by `kind`: ids differ everywhere, and one agent offers two of one kind.
 * A permission for good is given only where the agent offers nothing less, since it makes rules that we never see
 * (traps.md 18).
 *
 * @returns `undefined` when no option says it: then the request is answered as cancelled
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
