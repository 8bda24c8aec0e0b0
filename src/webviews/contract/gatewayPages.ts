import * as z from 'zod';

/**
 * What the gateway's pages ask of the extension inside a webview. The extension adds the key, which is nowhere in the
 * page, and lets only paths of the gateway through.
 */
export const GatewayFromPage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({
    type: z.literal('ask'),
    id: z.int(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: z.string().startsWith('/').max(8192),
    body: z.unknown().optional(),
  }),
  z.object({ type: z.literal('abort'), id: z.int() }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  z.object({ type: z.literal('save'), name: z.string().max(128), text: z.string() }),
]);
export type GatewayFromPage = z.infer<typeof GatewayFromPage>;

export type GatewayToPage =
  | {
      readonly type: 'open';
      /** The page to show, as `page=keys`. */
      readonly query: string;
      readonly baseUrl: string;
      readonly strings?: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly status: number;
      readonly body?: unknown;
      /** The header `Date` of the answer. */
      readonly date?: string;
    }
  | {
      readonly type: 'unreachable';
      readonly id: number;
      /** What happened and what helps, for a person. */
      readonly reason: string;
    };

/** What the page keeps over a reload of the window. */
export const GatewayPageState = z.object({ query: z.string().max(8192) });
export type GatewayPageState = z.infer<typeof GatewayPageState>;
