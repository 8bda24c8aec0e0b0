import type { GuardrailAnswer } from '../../../../sidecar/protocol/gateway/guardrails/answers.ts';
import { t } from '../../../shared/l10n.ts';
import { none } from '../../kit/format.ts';

export const modeNames = (): Readonly<Record<string, string>> => ({
  pre_mcp_call: t('Before the call'),
  during_mcp_call: t('During the call'),
  post_mcp_call: t('After the call'),
});

export function modeWords(mode: GuardrailAnswer['mode']): string {
  if (mode == null) return none;
  return [mode]
    .flat()
    .map((it) => modeNames()[it] ?? it)
    .join(', ');
}
