import * as z from 'zod';
import { Duration } from '../../../../sidecar/protocol/gateway/duration.ts';
import { t } from '../../../shared/l10n.ts';
import { fieldsOf } from '../../form/formSpec.ts';
import type { Session } from '../../kit/adminElement.ts';
import { openForm } from '../../records/openForm.ts';
import { showKeyOnce } from './keyForm.ts';

const Rotation = z.object({ grace_period: Duration.nullish() });

/** A new key in the place of an old one, which may go on for a while. */
export function openRotate(session: Session, token: string, name: string, done: () => void): void {
  const fields = fieldsOf(Rotation, {
    grace_period: {
      label: t('Grace period for the old key'),
      placeholder: t('None'),
      help: t(
        "For example, 30m, 24h, or 7d. If empty, the old key stops working immediately. The key's limits, permissions, and name stay the same.",
      ),
    },
  });
  openForm(t('Rotate {0}', name), {
    submitLabel: t('Rotate'),
    groups: () => [{ title: '', fields }],
    submit: async (body) => {
      const { key } = await session.routes.rotateKey({ ...body, key: token });
      showKeyOnce(session, key, t('New key for {0}', name));
      done();
    },
  });
}
