import type { McpServerAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import type { AuthTypeDefinition } from '../../../../sidecar/protocol/gateway/authTypes/definition.ts';
import { authTypeNames, authTypeOf, isSecretField } from '../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { t } from '../../../shared/l10n.ts';
import type { FieldLabels } from '../../form/formSpec.ts';
import type { Option } from '../../kit/select.ts';

/** What an auth type is called; one that this build does not know has its value. */
const nameOf = (authType: string): string => {
  const { label } = authTypeOf(authType) ?? {};
  return label === undefined ? authType : t(label);
};
export const authWords = (server: Pick<McpServerAnswer, 'auth_type'>): string => nameOf(server.auth_type ?? 'none');
export const authOptions = (): readonly Option[] => authTypeNames.map((value) => ({ value, label: nameOf(value) }));

/** What the form of a server asks for an auth type. Nothing for one that this build does not know. */
export function authFields(authType: string, flow: string): Readonly<Record<string, FieldLabels>> {
  const fields: AuthTypeDefinition['fields'] = authTypeOf(authType)?.fields ?? {};
  const shown = Object.entries(fields).filter(([, it]) => it.hiddenWith === undefined || it.hiddenWith !== flow);
  return Object.fromEntries(
    shown.map(([path, { label, help, isRequired }]) => [
      path,
      {
        label: t(label),
        ...(help !== undefined && { help: t(help) }),
        ...(isRequired && { isRequired }),
        ...(isSecretField(path) && { kind: 'secret' as const }),
      },
    ]),
  );
}
