import type { HttpRequest } from '../../../sidecar/platform/httpMessages.ts';

/** A web request whose caller may leave, as the listener hands requests in. @param left fires when they do */
export function cuttable(request: Request, left: AbortSignal = request.signal) {
  const canceller = new AbortController();
  const onCut: HttpRequest['onCut'] = undefined;
  const cut = Object.assign(request, { canceller, onCut: onCut as HttpRequest['onCut'] });
  const leave = () => {
    if (cut.onCut) cut.onCut(canceller);
    else canceller.abort(left.reason);
  };
  if (left.aborted) leave();
  else left.addEventListener('abort', leave, { once: true });
  return cut;
}
