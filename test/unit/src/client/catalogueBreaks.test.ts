import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { SessionCatalogue } from '../../../../src/client/catalogue.ts';
import { Listeners } from '../../../../src/client/listeners.ts';
import type { HostPort } from '../../../../src/client/port.ts';
import { summary } from '../../../support/extensionStates.ts';
import { type Later, later } from '../../../support/later.ts';

type Page = { readonly items: ReturnType<typeof summary>[]; readonly nextCursor?: string };
const uri = (name: string) => `host-session:/${name}`;
const page = (names: string, nextCursor?: string): Page => ({
  items: names
    .split(' ')
    .filter(Boolean)
    .map((it) => summary({ resource: uri(it), title: it })),
  ...(nextCursor !== undefined && { nextCursor }),
});

describe('the list of sessions while its host is slow', () => {
  let connected: Listeners<void>;
  let notified: Map<string, Listeners<unknown>>;
  let asked: (Later<Page> & { readonly cursor: string | undefined })[];
  let warnings: string[];
  let catalogue: SessionCatalogue;
  let changes: number;
  const on = (name: string) => notified.get(name) ?? notified.set(name, new Listeners()).get(name)!;
  beforeEach(() => {
    [connected, notified, asked, warnings, changes] = [new Listeners(), new Map(), [], [], 0];
    const port = {
      request: (_method: string, { cursor }: { cursor?: string }) => {
        const answer = later<Page>();
        asked.push({ ...answer, cursor });
        return answer.promise;
      },
      onDidConnect: (listener: () => void) => connected.add(listener),
      onNotification: (name: string, listener: (params: unknown) => void) => on(name).add(listener),
    } as unknown as HostPort;
    catalogue = new SessionCatalogue(port, (it) => warnings.push(it));
    catalogue.onDidChange(() => (changes += 1));
  });
  const soon = () => new Promise((resolve) => void setImmediate(resolve));
  const names = () => catalogue.sessions.map((it) => it.title);
  async function answer(at: number, it: Page | Error): Promise<void> {
    if (it instanceof Error) asked[at]!.reject(it);
    else asked[at]!.resolve(it);
    await soon();
  }
  async function connect(it: Page): Promise<void> {
    connected.fire();
    await answer(asked.length - 1, it);
  }

  it('is loaded once its first page came, and says so once', async () => {
    connected.fire();
    assert.deepEqual([catalogue.isLoaded, changes], [false, 0]);
    await answer(0, page('a b', 'more'));
    assert.deepEqual([catalogue.isLoaded, changes, names(), asked[0]!.cursor], [true, 1, ['a', 'b'], undefined]);
    const loading = catalogue.loadMore();
    await answer(1, page('c'));
    await loading;
    assert.deepEqual([changes, names(), asked[1]!.cursor, catalogue.hasMore], [2, ['a', 'b', 'c'], 'more', false]);
    await catalogue.loadMore();
    assert.equal(asked.length, 2, 'there is no other page');
  });

  it('takes no page that was asked for before a break', async () => {
    await connect(page('a', 'more'));
    const loading = catalogue.loadMore();
    connected.fire();
    await answer(1, page('of before'));
    await loading;
    assert.deepEqual([names(), changes], [['a'], 1]);
    await answer(2, page('a b', 'next'));
    assert.deepEqual([names(), catalogue.hasMore, asked.length], [['a', 'b'], true, 3]);
    void catalogue.loadMore();
    assert.equal(asked[3]!.cursor, 'next');
  });

  it('takes no list that was asked for before a break, however late it comes', async () => {
    connected.fire();
    connected.fire();
    await answer(1, page('new'));
    await answer(0, page('old', 'more'));
    assert.deepEqual([names(), catalogue.hasMore, changes], [['new'], false, 1]);
  });

  it('keeps what it has where the list is not answered, and follows the host all the same', async () => {
    await connect(page('a'));
    await connect(new Error('gone') as never);
    assert.deepEqual(
      [names(), catalogue.isLoaded, warnings],
      [['a'], true, ['the list of sessions was not read: gone']],
    );
    on('root/sessionAdded').fire({ summary: summary({ resource: uri('b'), title: 'b' }) });
    on('root/sessionRemoved').fire({ session: uri('a') });
    on('root/sessionRemoved').fire({ session: uri('unknown') });
    assert.deepEqual([names(), changes], [['b'], 3]);
    await connect(page('c'));
    assert.deepEqual(names(), ['c'], 'what came before the list was asked for is not said again');
  });

  it('loses nothing that came for a list where the one asked for before it fails', async () => {
    connected.fire();
    connected.fire();
    on('root/sessionAdded').fire({ summary: summary({ resource: uri('added'), title: 'added' }) });
    await answer(0, new Error('gone'));
    await answer(1, page('a'));
    assert.deepEqual(names(), ['a', 'added']);
  });

  it('keeps what comes after the list of before failed while its own is under way', async () => {
    connected.fire();
    connected.fire();
    await answer(0, new Error('gone'));
    on('root/sessionAdded').fire({ summary: summary({ resource: uri('added'), title: 'added' }) });
    await answer(1, page('a'));
    assert.deepEqual(names(), ['a', 'added']);
  });

  it('asks for a session of a page that was not fetched also after a list that failed, and for none once all are there', async () => {
    const touch = () => {
      const modifiedAt = '2030-01-01T00:00:00Z';
      on('root/sessionSummaryChanged').fire({ session: uri('elsewhere'), changes: { modifiedAt } });
    };
    await connect(page('a', 'more'));
    await connect(new Error('gone') as never);
    touch();
    assert.equal(asked.length, 3);
    await answer(2, page('a b'));
    touch();
    assert.deepEqual([asked.length, names()], [3, ['a', 'b']]);
  });

  it('fetches no more pages than there are', async () => {
    await connect(page('a', 'more'));
    void catalogue.loadMore();
    await answer(1, page('b', 'more'));
    connected.fire();
    await answer(2, page('a'));
    assert.deepEqual([names(), asked.length, catalogue.hasMore], [['a'], 3, false]);
  });

  it('follows nothing any more after its end', async () => {
    await connect(page('a'));
    catalogue.dispose();
    connected.fire();
    on('root/sessionRemoved').fire({ session: uri('a') });
    on('root/sessionAdded').fire({ summary: summary({ resource: uri('b') }) });
    on('root/sessionSummaryChanged').fire({ session: uri('a'), changes: { title: 'z' } });
    assert.deepEqual([asked.length, names(), changes], [1, ['a'], 1]);
  });
});
