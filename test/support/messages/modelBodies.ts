import type { Random } from '../../fuzz/random.ts';
import type { Member, ModelStyle, TwinKind } from './twins.ts';

interface ModelMembers {
  readonly outer: Member[];
  /** Members of an object that the gateway reads too. */
  readonly inner: Member[];
  readonly innerName: string;
}

/** The members of a body as clients write them. */
export function modelMembers(style: ModelStyle, random: Random): ModelMembers {
  const some = (chance: number, ...all: readonly Member[]) => all.filter(() => random.chance(chance));
  const count = () => String(1 + random.below(4));
  const model: Member = ['model', random.chance(0.1) ? '"other"' : '"smart"'];
  const stream: Member = ['stream', random.pick(['true', 'false', 'null'])];
  const content = '[{"role":"user","content":"{\\"model\\":1}"}]';
  switch (style) {
    case 'model chat':
      return {
        outer: [
          model,
          ['messages', content],
          ...some(0.5, stream, ['max_tokens', count()], ['max_completion_tokens', count()], ['n', count()]),
        ],
        inner: some(0.5, ['include_usage', random.pick(['true', 'false'])]),
        innerName: 'stream_options',
      };
    case 'model responses':
      return {
        outer: [model, ['input', content], ...some(0.5, stream, ['max_output_tokens', count()])],
        inner: [],
        innerName: 'stream_options',
      };
    case 'model messages':
      return {
        outer: [model, ['messages', content], ['max_tokens', count()], ...some(0.5, stream)],
        inner: [],
        innerName: '',
      };
    case 'model gemini':
      return {
        outer: [['contents', '[{"parts":[{"text":"a"}]}]'], ...some(0.3, ['systemInstruction', '{}'])],
        inner: some(0.7, ['maxOutputTokens', count()], ['candidateCount', count()]),
        innerName: random.chance(0.7) ? 'generationConfig' : 'generation_config',
      };
  }
}

/** The name and value of a member that an attacker adds so that two readers disagree. */
export function modelTwins(
  style: ModelStyle,
  where: 'outer' | 'inner',
  kind: TwinKind | undefined,
  random: Random,
): readonly [name: string, value: string] {
  if (style === 'model gemini') {
    if (where === 'inner' || kind === 'kelvin') return ['maxOutputTokens', '999'];
    return random.pick([
      ['generationConfig', '{"maxOutputTokens":999}'],
      ['model', '"other"'],
    ] as const);
  }
  if (where === 'inner' && style === 'model chat') return ['include_usage', 'false'];
  const limit = style === 'model responses' ? 'max_output_tokens' : 'max_tokens';
  if (kind === 'kelvin') return [limit, '999'];
  if (kind === 'longS') return ['stream', 'true'];
  return random.pick([
    ['model', '"other"'],
    ['stream', 'true'],
    [limit, '999'],
  ] as const);
}
