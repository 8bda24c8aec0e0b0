import { schemes } from '../../uris.ts';
import { defineChannel } from '../defineChannel.ts';
import { reduceAnnotations } from './reducer.ts';
import { type AnnotationsAction, AnnotationsState, annotationsActions } from './schema.ts';

/** Shares its scheme with sessions, so it stands before them in the table. */
export const annotationsChannel = defineChannel<'annotations', AnnotationsState, AnnotationsAction>({
  kind: 'annotations',
  scheme: schemes.session,
  suffix: '/annotations',
  state: AnnotationsState,
  actions: annotationsActions,
  reduce: reduceAnnotations,
  clientMay: new Set<AnnotationsAction['type']>([
    'annotations/set',
    'annotations/updated',
    'annotations/removed',
    'annotations/entrySet',
    'annotations/entryRemoved',
  ]),
});
