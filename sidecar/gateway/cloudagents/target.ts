import { Fault } from '../../platform/faults.ts';

/**
 * The address at the service for a path that a caller named. It is built by joining, never by resolving, and is checked
 * again afterwards: no path leaves the service (`security.path-confusion`).
 *
 * @param upstream the base address of the service, without a query
 * @param path after the gateway's prefix, as it came, beginning with `/`
 * @param search with its `?`, or empty
 * @throws {Fault} `invalid_params` naming `path`
 */
export function targetOf(upstream: string, path: string, search: string): URL {
  const base = new URL(upstream);
  const basePath = base.pathname.replace(/\/$/, '');
  if (!path.startsWith('/') || path.includes('//') || /[\\\s]|%2f|%5c|%00/i.test(path)) throw refused();
  for (const segment of path.split('/')) {
    const decoded = decode(segment);
    if (decoded === '.' || decoded === '..' || decoded.includes('/')) throw refused();
  }
  const target = new URL(`${base.origin}${basePath}${path}${search}`);
  if (target.origin !== base.origin || target.pathname !== `${basePath}${path}`) throw refused();
  return target;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refused();
  }
}

function refused(): Fault {
  return new Fault('invalid_params', 'This path is not part of the cloud-agents service.', { data: { field: 'path' } });
}
