import * as z from 'zod';

const Side = z
  .object({
    text: z.string().describe('Without secrets. JSON, an event stream, or another text'),
    bytes: z.int().describe('Size of the whole, in bytes'),
    is_cut: z.boolean().describe('text is not the whole'),
  })
  .nullable()
  .describe('null if it was not stored');

/** `GET /spend/logs/content`. */
export const CallContentAnswer = z.object({
  request_id: z.string(),
  is_stored: z.boolean().describe('Something of this call is stored'),
  is_on: z.boolean().describe('The gateway stores requests and responses'),
  kept_until: z.string().nullable().describe('When it is deleted: RFC 3339, UTC'),
  request: Side,
  response: Side,
});
export type CallContentAnswer = z.infer<typeof CallContentAnswer>;
export type CallContentSide = z.infer<typeof Side>;
