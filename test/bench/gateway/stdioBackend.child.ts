import { createInterface } from 'node:readline';
import { answerMcp } from './mcpAnswers.ts';

/** The same MCP server over stdio: for the bridges that know no other. */
for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerMcp(JSON.parse(line) as { id?: unknown; method: string });
  if (answer !== undefined) process.stdout.write(`${answer}\n`);
}
