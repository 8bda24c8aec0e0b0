import * as vscode from 'vscode';
import type { NamedKey } from '../model.ts';
import {
  askOne,
  askText,
  attempt,
  choose,
  copy,
  type GatewayActions,
  isAgreed,
  pictureOf,
  targetOf,
} from './actions.ts';
import { nameOf } from './servers.ts';

/** The key that a row means, or the one that the person chooses. */
export async function keyIn(actions: GatewayActions, argument: unknown, title: string): Promise<NamedKey | undefined> {
  const { l10n } = vscode;
  const { keys } = await pictureOf(actions);
  const target = targetOf(argument, 'key');
  if (target !== undefined) return keys.find((it) => it.token === target);
  const toItem = ({ label, key_name: description }: NamedKey) => ({ label, description });
  return choose(keys, title, l10n.t('Which key?'), toItem, l10n.t('No keys yet. Create one first.'));
}

export async function newKey(actions: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('New Virtual Key');
  await attempt(l10n.t('The key was not created.'), async () => {
    const alias = await askText(title, l10n.t('Key name, shown with its calls'));
    if (alias === undefined) return;
    const servers = await askServers(actions, title);
    if (servers === undefined) return;
    const duration = await askOne(title, l10n.t('When should the key expire?'), [
      { value: '30d', label: l10n.t('Expires after 30 days') },
      { value: '90d', label: l10n.t('Expires after 90 days') },
      { value: '365d', label: l10n.t('Expires after a year') },
      { value: 'never', label: l10n.t('Never expires') },
    ]);
    if (duration === undefined) return;
    const budget = await askText(title, l10n.t('Maximum spend in US dollars. Leave empty for no limit.'), {
      isOptional: true,
      check: (it) => (/^\d+(\.\d+)?$/.test(it.trim()) ? undefined : l10n.t('A number, such as 5 or 0.50.')),
    });
    if (budget === undefined) return;
    const made = await actions.routes.newKey({
      key_alias: alias,
      ...(duration !== 'never' && { duration }),
      ...(budget.trim() !== '' && { max_budget: Number(budget) }),
      ...(servers.length > 0 && { object_permission: { mcp_servers: servers } }),
    });
    await actions.model.refresh();
    await handOver(actions, alias, made);
  });
}

/** Names of servers; `[]` for all. `undefined`: the person gave up. */
async function askServers(actions: GatewayActions, title: string): Promise<readonly string[] | undefined> {
  const { l10n } = vscode;
  const { servers } = await pictureOf(actions);
  if (servers.length === 0) return [];
  const all = { label: l10n.t('All servers, also those added later'), id: '' };
  const items = [all, ...servers.map((it) => ({ label: nameOf(it), id: it.server_id }))];
  const placeHolder = l10n.t('Which servers can this key use? Select at least one.');
  // Who selects nothing has not said that the key can use everything, so the question stays.
  for (;;) {
    const picked = await vscode.window.showQuickPick(items, {
      title,
      placeHolder,
      canPickMany: true,
      ignoreFocusOut: true,
    });
    if (!picked) return undefined;
    if (picked.includes(all)) return [];
    if (picked.length > 0) return picked.map((it) => it.id);
  }
}

/** The one time that a key can be seen: it goes to the clipboard, and into the secret storage if the person wants that. */
async function handOver(
  { secrets, model }: GatewayActions,
  name: string,
  { key, token }: { readonly key: string; readonly token?: string | undefined },
): Promise<void> {
  const { l10n } = vscode;
  await vscode.env.clipboard.writeText(key);
  const text = l10n.t('The key "{0}" was copied to the clipboard. You will not be able to see it again.', name);
  if (token === undefined) return void vscode.window.showInformationMessage(text);
  // A message that leaves by itself would be the last that anybody sees of the key.
  const keep = { title: l10n.t('Store in Secret Storage') };
  const done = { title: l10n.t('Done'), isCloseAffordance: true };
  if ((await vscode.window.showInformationMessage(text, { modal: true }, keep, done)) !== keep) return;
  await secrets.keepKey(token, key);
  await model.look();
}

export async function rotateKey(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Rotate Virtual Key');
  await attempt(l10n.t('The key was not rotated.'), async () => {
    const before = await keyIn(actions, argument, title);
    if (!before) return;
    const times = [
      { value: 'none', label: l10n.t('Immediately') },
      { value: '1h', label: l10n.t('After 1 hour') },
      { value: '1d', label: l10n.t('After 1 day') },
      { value: '7d', label: l10n.t('After 1 week') },
    ];
    const grace = await askOne(title, l10n.t('When should the old key stop working?'), times);
    if (grace === undefined) return;
    const isKept = (await actions.secrets.kept()).has(before.token);
    const made = await actions.routes.rotateKey({
      key: before.token,
      ...(grace !== 'none' && { grace_period: grace }),
    });
    if (isKept) {
      await actions.secrets.dropKey(before.token);
      if (made.token !== undefined) await actions.secrets.keepKey(made.token, made.key);
    }
    await actions.model.refresh();
    await handOver(actions, before.label, { key: made.key, token: isKept ? undefined : made.token });
  });
}

export async function revokeKey(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('The key was not revoked.'), async () => {
    const key = await keyIn(actions, argument, l10n.t('Revoke Virtual Key'));
    if (!key) return;
    const question = l10n.t('Revoke "{0}"?', key.label);
    const detail = l10n.t('Calls with this key will be rejected. You cannot undo this.');
    if (!(await isAgreed(question, detail, l10n.t('Revoke')))) return;
    await actions.routes.revokeKey(key.token);
    await actions.secrets.dropKey(key.token);
    await actions.model.refresh();
  });
}

/** Of a key that is kept in the secret storage. */
export async function copyKey(actions: GatewayActions, argument: unknown): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('The key was not copied.'), async () => {
    const key = await keyIn(actions, argument, l10n.t('Copy Virtual Key'));
    if (!key) return;
    const text = await actions.secrets.key(key.token);
    if (text === undefined) throw new Error(l10n.t('The key is not stored here. Rotate it to get a new one.'));
    await copy(text, key.label);
  });
}
