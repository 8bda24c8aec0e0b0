import { inEmptyGateway, onPage } from '../adminStage.ts';
import type { Album } from '../album.ts';
import type { SubjectOf } from '../list.ts';

/** What each page says of itself while it has nothing to show. */
const headings = {
  new_usage: 'No calls yet',
  logs: 'No calls',
  keys: undefined, // whoever looks has one
  audit: 'No changes',
  alerts: 'Nothing here yet',
  teams: 'Nothing here yet',
  organizations: 'Nothing here yet',
  users: 'Nothing here yet',
  invitations: 'Nothing here yet',
  end_users: 'Nothing here yet',
  budgets: 'Nothing here yet',
  mcp_servers: 'Nothing here yet',
  toolsets: 'Nothing here yet',
  agents: 'Nothing here yet',
  models: 'Nothing here yet',
  guardrails: 'Nothing here yet',
  catalog: 'Nothing here yet',
  playground: 'Nothing to try yet',
  help: 'Your key',
} as const;

export const pagesEmpty = (album: Album<SubjectOf<'pagesEmpty'>>) =>
  inEmptyGateway(async (harness) => {
    const first = await harness.open('/ui/?page=keys');
    await first.page.getByLabel('Virtual key').waitFor();
    await album.take('page-sign-in', first);
    await first.close();
    for (const id of Object.keys(headings) as (keyof typeof headings)[]) {
      await onPage(harness, id, async (opened) => {
        const name = headings[id];
        const { page } = opened;
        await (name === undefined ? page.getByRole('table') : page.getByRole('heading', { name })).first().waitFor();
        await album.take(`page-${id}-empty`, opened);
      });
    }
  });
