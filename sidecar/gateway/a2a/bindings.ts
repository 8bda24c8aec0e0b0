/** The bindings of A2A that the gateway relays. */
export const bindings = ['JSONRPC', 'HTTP+JSON'] as const;
export type BindingName = (typeof bindings)[number];

export const bindingOf = (value: unknown): BindingName | undefined =>
  bindings.find((it) => it === String(value).toUpperCase());
