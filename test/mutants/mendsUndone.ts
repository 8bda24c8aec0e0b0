import { coderMends } from './coderMends.ts';
import { editorMends } from './editorMends.ts';
import { gatewayLateMends } from './gatewayLateMends.ts';
import { gatewayMends } from './gatewayMends.ts';
import { gatewayOriginMends } from './gatewayOriginMends.ts';
import { gatewayStreamMends } from './gatewayStreamMends.ts';
import { hostMends } from './hostMends.ts';
import type { Mutant } from './mutant.ts';
import { powerMends } from './powerMends.ts';

/** The third group: each undoes the mend of a fault that once was, so that its test is seen red against that fault. */
export const mendsUndone: readonly Mutant[] = [
  ...gatewayMends,
  ...gatewayLateMends,
  ...gatewayOriginMends,
  ...gatewayStreamMends,
  ...hostMends,
  ...editorMends,
  ...powerMends,
  ...coderMends,
];
