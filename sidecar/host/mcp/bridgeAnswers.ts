import * as z from 'zod';
import type { OfferedResult, OfferedTools } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import { jsonRpcErrors } from '../../protocol/jsonRpcErrors.ts';

export const BridgeMessage = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type BridgeMessage = z.infer<typeof BridgeMessage>;

const Call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** What MCP has us say to one message. @returns `undefined` for a notification, and for an answer to us */
export async function answerTo(
  { id, method, params = {} }: BridgeMessage,
  tools: OfferedTools,
): Promise<object | undefined> {
  if (id === undefined || method === undefined) return undefined;
  const result = (value: object) => ({ jsonrpc: '2.0', id, result: value });
  const error = (code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } });
  switch (method) {
    case 'initialize':
      return result({
        protocolVersion: versions.find((it) => it === params['protocolVersion']) ?? versions[0],
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'switchboard-session', title: 'Switchboard', version: '1' },
      });
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools: tools.list().map((it) => ({ ...it, inputSchema: it.inputSchema ?? anything })) });
    case 'tools/call': {
      const call = Call.safeParse(params);
      if (!call.success)
        return error(jsonRpcErrors.invalidParams, 'params: must contain a tool name and its arguments');
      try {
        return result(toResult(await tools.call(call.data.name, call.data.arguments)));
      } catch (thrown) {
        return error(
          jsonRpcErrors.invalidParams,
          thrown instanceof Fault ? thrown.message : 'The turn that this call belongs to has ended.',
        );
      }
    }
    default:
      return error(jsonRpcErrors.methodNotFound, 'Method not found.');
  }
}

const anything = { type: 'object', properties: {} };

function toResult({ success, content, structuredContent, error }: OfferedResult): object {
  const blocks = content.map((it) => {
    if (it.kind === 'text') return { type: 'text', text: it.text };
    const { base64: data, contentType: mimeType } = it;
    if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
    if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
    return { type: 'resource', resource: { uri: 'data:,', blob: data, mimeType } };
  });
  const why = !success && blocks.length === 0 ? [{ type: 'text', text: error ?? 'The tool failed.' }] : [];
  return {
    content: [...blocks, ...why],
    ...(structuredContent && { structuredContent }),
    ...(!success && { isError: true }),
  };
}
