import type { OfferedTool, OfferedTools } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import { askForCall, ended, failed, type OfferedDeps, toResult } from './callSteps.ts';
import { type NamedTool, offeredTools } from './offeredTools.ts';
import { runAtServer } from './serverCalls.ts';

/** The tools that a session's clients and MCP servers offer, as an agent uses them during one turn. */
export function offeredCalls(deps: OfferedDeps, signal: AbortSignal): OfferedTools {
  const list = () => {
    const state = deps.effects.store.state('session', deps.session);
    const all = state ? offeredTools(state, deps.starter) : [];
    return deps.allowed ? all.filter((it) => deps.allowed?.includes(it.name)) : all;
  };
  return {
    list: () => list().map(toOffered),
    async call(name, input) {
      const tool = list().find((it) => it.name === name);
      if (!tool) throw new Fault('not_found', `the tool ${name} was not found in this session`);
      const { kind } = tool.contributor;
      const { toolCallId, denied } = await askForCall(deps, tool, input);
      if (denied !== undefined) return failed(denied);
      const result =
        kind === 'client'
          ? toResult(await ended(deps, toolCallId, signal))
          : await runAtServer(deps, tool, toolCallId, input, signal);
      await deps.over(toolCallId, result);
      return result;
    },
  };
}

/** As agents see it. */
export function toOffered({ name, definition }: NamedTool): OfferedTool {
  const { title, description, inputSchema, annotations } = definition;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(inputSchema && { inputSchema }),
    ...(annotations && { annotations }),
  };
}
