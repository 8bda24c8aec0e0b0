/** What others publish of gateways that neither npm nor Debian has. Setups differ: none of it compares to a figure of ours. */
export const published: readonly {
  readonly who: string;
  readonly figures: string;
  readonly setup: string;
  readonly source: string;
}[] = [
  {
    who: 'Envoy AI Gateway, MCP',
    figures: 'tens of ms for each new session with the default key derivation, 1–2 ms with about 100 rounds',
    setup: 'echo tool, laptop with 8 cores',
    source: 'https://aigateway.envoyproxy.io/blog/mcp-in-envoy-ai-gateway',
  },
  {
    who: 'ContextForge, MCP',
    figures: 'a tool call takes 27–44 ms, and 3–4 ms without the gateway',
    setup: 'report of a user',
    source: 'https://github.com/IBM/mcp-context-forge/issues/1918',
  },
  {
    who: 'ContextForge, MCP',
    figures: '250–400 requests/s on /mcp with one pod, 750–800 with three, 2,500–3,000 with ten',
    setup: '16–24 workers in each pod, mock server behind it',
    source: 'its documentation, architecture/performance-architecture',
  },
  {
    who: 'ContextForge 1.0.6, MCP',
    figures: '262–331 requests/s at 242–357 ms',
    setup: 'three pods, 125 users',
    source: 'its documentation, testing',
  },
  {
    who: 'agentgateway and LiteLLM, models',
    figures: '36,933 and 3,198 requests/s, p99 1.97 and 32.2 ms',
    setup: '32 connections, 1 kB, mock model, one machine; by a maintainer of agentgateway',
    source: 'https://agentgateway.dev/blog/2026-06-26-benchmarking-agentgateway-vs-litellm',
  },
  {
    who: 'LiteLLM, models',
    figures: '1,036 requests/s, p99 43 ms more than without it',
    setup: 'two instances with 4 cores and 8 GB each, PostgreSQL',
    source: 'https://docs.litellm.ai/docs/benchmarks',
  },
  {
    who: 'LiteLLM, Bifrost, and Portkey, models',
    figures: 'p99 251, 0.9, and 8.2 ms more than without them, 16 at a time',
    setup: 'mock model with a fixed delay, one machine; by the makers of LiteLLM',
    source: 'https://github.com/BerriAI/ai-gateway-bench',
  },
];
