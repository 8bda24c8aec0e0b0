import { Fault } from '../../../platform/faults.ts';
import { AlertTargetSecrets } from '../../../protocol/gateway/alerts/target.ts';
import { sealedNames } from '../sealedValues.ts';
import type { Secrets } from '../secrets.ts';

/** What is sealed beside a target. */
export async function readTargetSecrets(secrets: Pick<Secrets, 'get'>, name: string): Promise<AlertTargetSecrets> {
  const text = await secrets.get('alert_target', name, sealedNames.credentials);
  if (text === undefined) return {};
  const read = AlertTargetSecrets.safeParse(JSON.parse(text));
  if (read.success) return read.data;
  throw new Fault('internal', 'The secrets of an alert target cannot be read.', { cause: read.error });
}
