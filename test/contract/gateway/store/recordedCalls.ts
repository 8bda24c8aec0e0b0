import type { Outcome, Who } from '../../../../sidecar/gateway/activity/recording.ts';

export const key1 = '1'.repeat(64);
export const key2 = '2'.repeat(64);

/** Day, who, what and how it ended, with how long it took in milliseconds. */
export const calls: readonly (readonly [
  at: string,
  who: Partial<Who>,
  endpoint: string,
  tool: string,
  outcome: Outcome,
  ms: number,
])[] = [
  [
    '2026-03-01T10:00:00Z',
    { api_key: key1, team_id: 't1', user_id: 'u1', tags: ['x', 'y'], session_id: 's1', trace_id: 'tr1' },
    '/mcp',
    'math/add',
    {
      status: 'success',
      spend: 0.5,
      prompt_tokens: 20,
      completion_tokens: 3,
      cache_read_input_tokens: 11,
      cache_creation_input_tokens: 7,
    },
    100,
  ],
  [
    '2026-03-01T11:00:00Z',
    { api_key: key1, team_id: 't1', user_id: 'u1', tags: ['x'], session_id: 's1' },
    '/mcp',
    'math/sub',
    { status: 'failure', error: 'Too 100% late', error_code: 'rate_limited' },
    50,
  ],
  [
    '2026-03-02T10:00:00Z',
    { api_key: key2, team_id: 't2', end_user: 'e1' },
    '/a2a/{agent_id}',
    '',
    { status: 'success', spend: 2 },
    900,
  ],
  [
    '2026-03-04T23:30:00Z',
    { api_key: key1, team_id: 't1', user_id: 'u1', organization_id: 'o1' },
    '/mcp',
    'web/get',
    { status: 'success', spend: 0.25 },
    10,
  ],
  ['2026-03-04T23:40:00Z', { api_key: '' }, '/mcp', 'web/get', { status: 'success' }, 10],
];
