/** Headers as they came, in order and with repetitions; names in any case. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * The two families of routes. The MCP routes use MCP's own transport and read fewer headers
 * (`gateway.route.mcp.own-authentication`).
 */
export type Surface = 'mcp' | 'rest';

export function allValues(headers: HeaderList, name: string): readonly string[] {
  return headers.filter(([it]) => it.toLowerCase() === name).map(([, value]) => value.trim());
}

/** The first value that is not empty. */
export function firstValue(headers: HeaderList, name: string): string | undefined {
  return allValues(headers, name).find((it) => it !== '');
}

/** The longest value of a header that is read. */
export const MAX_HEADER_BYTES = 8_192;
