import { type BenchHost, openHostWithSessions } from '../benchHost.ts';
import { residentMb } from '../gateway/processFigures.ts';
import { alternate, median, percentile, type Row } from '../measure.ts';

const MANY = 10_000;
const FEW = 10;
const IDLE = 100;
const PAGE = 50;
const PAGES = 40;

/** Many stored sessions: a page of their list, and what each costs in memory while nobody opens it. */
export async function catalogue(): Promise<readonly Row[]> {
  const [many, few, idle] = [
    await openHostWithSessions(MANY),
    await openHostWithSessions(FEW),
    await openHostWithSessions(IDLE),
  ];
  try {
    const pages: number[] = [];
    const memory = await alternate(
      async () => {
        const looked = await look(many);
        pages.push(...looked.pages);
        return looked.memoryMb;
      },
      async () => (await look(few)).memoryMb,
    );
    const [a, b] = [median(memory.ours), median(memory.baseline)];
    const { memoryMb } = await look(idle);
    return [
      {
        name: `a page of ${PAGE} among ${MANY} sessions`,
        value: median(pages),
        limit: 20,
        unit: 'ms',
        detail: `p99 ${percentile(pages, 0.99).toFixed(2)} ms, ${PAGES} pages one after the other`,
      },
      {
        name: `memory of a stored session, ${MANY} against ${FEW}`,
        value: ((a - b) * 1e6) / (MANY - FEW),
        limit: 2_048,
        unit: 'bytes',
        detail: `${a.toFixed(1)} MB against ${b.toFixed(1)} MB resident, after a page of the list`,
      },
      {
        name: `resident memory of an idle host with ${IDLE} sessions`,
        value: memoryMb,
        unit: 'MB',
        detail: 'after its list was read, one client connected',
      },
    ];
  } finally {
    for (const it of [many, few, idle]) await it.close();
  }
}

/** A host from its start through the first pages of its list. Its memory after the first one, milliseconds for each. */
async function look(host: BenchHost): Promise<{ pages: number[]; memoryMb: number }> {
  const { peer, sidecar } = await host.connect();
  const pages: number[] = [];
  let memoryMb = Number.NaN;
  let cursor: string | undefined;
  for (let n = 0; n < PAGES; n += 1) {
    const started = performance.now();
    const page = (await peer.sendRequest('root/listSessions', {
      channel: 'host-root://',
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    })) as { items: unknown[]; nextCursor?: string };
    pages.push(performance.now() - started);
    if (page.items.length === 0) throw new Error('no session is listed');
    cursor = page.nextCursor;
    if (n === 0) memoryMb = residentMb(host.place.host()?.pid ?? 0);
  }
  sidecar.endInput();
  await host.place.killHost();
  return { pages, memoryMb };
}
