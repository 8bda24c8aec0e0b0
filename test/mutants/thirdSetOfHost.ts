import type { Mutant } from './mutant.ts';

/** The rest of the third set: host, agents and extension. */
export const thirdSetOfHost: readonly Mutant[] = [
  {
    id: 'rpc-old-connection',
    file: 'sidecar/host/rpc/clients.ts',
    old: '    if (record.connection !== connection) return;\n',
    new: '',
    tests: ['test/unit/sidecar/host/rpc/clients.test.ts'],
    breaks:
      'The end of the connection before makes the host take a client that came back for gone, and forget its tokens and grants some minutes later.',
  },
  {
    id: 'rpc-lease-of-the-gone',
    file: 'sidecar/host/rpc/refreshLeases.ts',
    old: `    for (const [resource, queue] of this.#waiting) {
      const left = queue.filter((it) => it.holder !== holder);
      if (left.length > 0) this.#waiting.set(resource, left);
      else this.#waiting.delete(resource);
    }
    for (const [resource, it] of [...this.#held]) if (it.holder === holder) this.#end(resource);
`,
    new: `    for (const [resource, it] of [...this.#held]) if (it.holder === holder) this.#end(resource);
    for (const [resource, queue] of this.#waiting) {
      const left = queue.filter((it) => it.holder !== holder);
      if (left.length > 0) this.#waiting.set(resource, left);
      else this.#waiting.delete(resource);
    }
`,
    tests: ['test/unit/sidecar/host/rpc/refreshLeases.test.ts'],
    breaks:
      'The lease of a window that is gone passes to another request of that same window, and everybody else waits a minute.',
  },
  {
    id: 'rpc-between-pages',
    file: 'sidecar/host/rpc/handlers.ts',
    old: 'const last = rows[size - 1];',
    new: 'const last = rows.at(-1);',
    tests: ['test/unit/sidecar/host/rpc/commands.test.ts'],
    breaks: 'Between two pages of the list of sessions one session is left out.',
  },
  {
    id: 'resources-move-unread',
    file: 'sidecar/host/resources/fileResources.ts',
    old: `    const both: Need = { read: true, write: true };
    const source = await this.#access.require(requester, params.source, both, 'source', false);
`,
    new: `    const source = await this.#access.require(requester, params.source, writing, 'source', false);
`,
    tests: ['test/unit/sidecar/host/resources/resourceSecurity.test.ts'],
    breaks: 'A client that may write a file and not read it moves it to where it may, and reads it there.',
  },
  {
    id: 'resources-unused-watch',
    file: 'sidecar/host/resources/resourceWatches.ts',
    old: '    timers.after(UNUSED_MS, () => this.releaseUnused(channel));\n',
    new: '',
    tests: ['test/unit/sidecar/host/resources/resourceWatch.test.ts'],
    breaks: 'A watch that nobody ever subscribes to goes on, and counts among the fifty that its client may have.',
  },
  {
    id: 'runbook-half-an-edit',
    file: 'sidecar/agents/edits/edit.ts',
    old: `    for (const { path, before } of files) {
      if ((await insideFolders(path, folders)) !== path || (await readTextOrNothing(path)) !== before)
        return 'The file changed while I was waiting for your answer, so I did not modify it.';
    }
    for (const it of files) {
      await writeText(it.path, it.after);
      written.unshift(it);
    }
`,
    new: `    for (const it of files) {
      const { path, before } = it;
      if ((await insideFolders(path, folders)) !== path || (await readTextOrNothing(path)) !== before)
        return 'The file changed while I was waiting for your answer, so I did not modify it.';
      await writeText(it.path, it.after);
      written.unshift(it);
    }
`,
    tests: ['test/unit/sidecar/agents/runbook/halfWay.test.ts'],
    breaks: 'Of a diff of several files the first ones are written although a later one changed meanwhile.',
  },
  {
    id: 'runbook-cancelled-at-start',
    file: 'sidecar/agents/runbook/shellStep.ts',
    old: '  if (signal.aborted) stop();\n',
    new: '',
    tests: ['test/unit/sidecar/agents/runbook/run.test.ts'],
    breaks: 'A command whose turn is cancelled while it is being started runs to its end.',
  },
  {
    id: 'runbook-questions-skipped',
    file: 'sidecar/agents/runbook/run.ts',
    old: 'progress.failedSteps = Math.max(1, together.length);',
    new: 'progress.failedSteps = 1;',
    tests: ['test/unit/sidecar/agents/runbook/run.test.ts'],
    breaks:
      'After questions that were asked together and not answered, `continue` asks all of them but the first again.',
  },
  {
    id: 'runbook-next-hunk',
    file: 'sidecar/agents/edits/applyPatch.ts',
    old: 'from = place + fresh.length;',
    new: 'from = place + old.length;',
    tests: ['test/unit/sidecar/agents/edits/applyPatch.test.ts'],
    breaks:
      'A hunk without numbers is not found, or found in the wrong place, behind one that changes how many lines there are.',
  },
  {
    id: 'sign-in-lost-rotation',
    file: 'src/requests/accounts.ts',
    old: `    await this.#deps.tokens.set(resource, stored); // first: a server that rotates takes the token before it no more
    if (await this.#send(resource, stored)) return true;
`,
    new: `    if (await this.#send(resource, stored)) {
      await this.#deps.tokens.set(resource, stored);
      return true;
    }
`,
    tests: ['test/unit/src/requests/accounts.test.ts'],
    breaks:
      'A renewed token is lost when the host cannot be reached just then, and the one that is stored is taken no more: the person has to sign in again.',
  },
  {
    id: 'sign-in-lease-too-short',
    file: 'src/requests/accounts.ts',
    old: 'return await this.keep(resource, granted,',
    new: 'return this.keep(resource, granted,',
    tests: ['test/unit/src/requests/accounts.test.ts'],
    breaks:
      'A window gives the lease back before the renewed token is stored, and the next window renews with the spent one.',
  },
  {
    id: 'http-other-token-leaves',
    file: 'sidecar/gateway/http/identify.ts',
    old: 'keyGuard([...deps.accessTokens.prefixes, ...(credential ? [credential.key] : [])])',
    new: 'keyGuard(credential ? [credential.key] : [])',
    tests: ['test/integration/gateway/security/passthrough.test.ts'],
    breaks:
      'A token of the gateway that is not the one a call came with goes on to a server or agent in whatever header it stands.',
  },
  {
    id: 'terminal-made-twice',
    file: 'sidecar/host/terminals/openTerminals.ts',
    old: 'if (store.has(channel) || this.#making.has(channel))',
    new: 'if (store.has(channel))',
    tests: ['test/unit/sidecar/host/terminals/terminals.test.ts'],
    breaks: 'Two requests at once for a terminal of one name start two shells, one of which nobody reaches or ends.',
  },
  {
    id: 'rpc-view-made-anew',
    file: 'sidecar/host/rpc/handshake.ts',
    old: 'const hadAll = made.length === 0 && wanted.every(',
    new: 'const hadAll = wanted.every(',
    tests: ['test/unit/sidecar/host/rpc/viewsInHandshakes.test.ts'],
    breaks:
      'A client that comes back gets no new state of a view of changes that was made anew meanwhile, and shows the old one.',
  },
  {
    id: 'terminal-held-up',
    file: 'sidecar/host/terminals/terminal.ts',
    old: `    await this.#deps.store.whenWritable();
    const data = this.#waiting;
    this.#waiting = '';
`,
    new: `    const data = this.#waiting;
    this.#waiting = '';
    await this.#deps.store.whenWritable();
`,
    tests: ['test/unit/sidecar/host/terminals/heldUp.test.ts'],
    breaks:
      'While the disk takes nothing, a program that writes is not held up, and what it wrote last comes after its end.',
  },
  {
    id: 'sign-in-quick-browser',
    file: 'src/requests/browserTrip.ts',
    old: `  const answer = callbacks.wait(begun.state, signal);
  answer.catch(() => undefined); // seen below
  await openPage(begun.url);
  return begun.finish(await answer);
`,
    new: `  await openPage(begun.url);
  return begun.finish(await callbacks.wait(begun.state, signal));
`,
    tests: ['test/unit/src/requests/browserTrip.test.ts'],
    breaks: 'A sign-in hangs where the browser comes back before the editor says that it opened the page.',
    mayHang: true,
  },
  {
    id: 'access-put-off',
    file: 'src/requests/shownQuestions.ts',
    old: 'if (this.#shown.has(id)) this.#shown.set(id, () => undefined);',
    new: 'this.#shown.delete(id);',
    tests: ['test/unit/src/requests/shownQuestions.test.ts'],
    breaks: 'A question for access that a person put off is shown again with every other question that comes or goes.',
  },
  {
    id: 'supervisor-useless-relay',
    file: 'src/sidecar/takeOver.ts',
    old: '    await relay?.close();\n',
    new: '',
    tests: ['test/unit/src/sidecar/takeOver.test.ts'],
    breaks: 'A relay whose handshake was of no use goes on running beside the one that is started in its place.',
  },
  {
    id: 'comments-of-the-detached',
    file: 'src/changes/followedComments.ts',
    old: '    this.#deps.show(session, undefined);\n',
    new: '',
    tests: ['test/unit/src/changes/followedComments.test.ts'],
    breaks: 'The comments of a host that was detached from stay in the editor.',
  },
  {
    id: 'overwrite-one-file',
    file: 'src/changes/overwriting.ts',
    old: "await deps.operate(changeset, 'undo-overwrite', file);",
    new: "await deps.operate(changeset, 'undo-overwrite', undefined);",
    tests: ['test/unit/src/changes/overwriting.test.ts'],
    breaks: 'A person who agrees to lose their changes to one file loses those to all files of the changeset.',
  },
];
