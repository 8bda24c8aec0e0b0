import * as vscode from 'vscode';
import { commandIds } from '../../manifest/manifest.ts';
import { LineAuthors } from '../authors/lineAuthors.ts';
import type { SessionComment } from '../commentCommands.ts';
import { Comments } from '../comments.ts';
import { FileReview } from './fileReview.ts';
import { FollowedReview } from './followReview.ts';
import { HunkReview } from './hunkReview.ts';
import { Previews } from './previews.ts';
import { QuickDiff } from './quickDiff.ts';
import type { OpenedReview, ReviewDeps } from './reviewModule.ts';

/** Review where one reviews: in the editors that show what an agent changed. */
export function openReview(deps: ReviewDeps): OpenedReview {
  const followed = new FollowedReview(deps);
  const files = new FileReview(deps, followed);
  const quickDiff = new QuickDiff(deps, followed);
  const comments = new Comments(deps);
  const hunks = new HunkReview({ ...deps, followed, quickDiff, files });
  const previews = new Previews(deps);
  const authors = new LineAuthors(deps.port, followed.onDidChange);
  return {
    commands: {
      [commandIds.keepReviewedFile]: (it) => files.decide('keep', it),
      [commandIds.undoReviewedFile]: (it) => files.decide('undo', it),
      [commandIds.nextFile]: (it) => files.step('next', it),
      [commandIds.previousFile]: (it) => files.step('previous', it),
      [commandIds.keepHunk]: (...args) => hunks.decide('keep', args),
      [commandIds.undoHunk]: (...args) => hunks.decide('undo', args),
      [commandIds.nextHunk]: () => hunks.step('next'),
      [commandIds.previousHunk]: () => hunks.step('previous'),
      [commandIds.allowEdit]: (it) => previews.answer('allow-once', it),
      [commandIds.denyEdit]: (it) => previews.answer('deny', it),
      [commandIds.addComment]: (it) => comments.add(it as vscode.CommentReply),
      [commandIds.resolveComment]: (it) => comments.setResolved(it as vscode.CommentThread, true),
      [commandIds.reopenComment]: (it) => comments.setResolved(it as vscode.CommentThread, false),
      [commandIds.sendComment]: (it) => comments.send(it as vscode.CommentThread),
      [commandIds.deleteComment]: (it) => comments.delete(it as SessionComment),
      [commandIds.sendReview]: (it) => comments.sendReview(it),
      [commandIds.showLineAuthor]: () => authors.showLine(),
      [commandIds.toggleAuthors]: () => authors.toggle(),
      [commandIds.noteAuthors]: () => authors.writeNote(),
    },
    isPreviewed: (it) => previews.isPreviewed(it),
    dispose: () => vscode.Disposable.from(authors, comments, previews, hunks, quickDiff, files, followed).dispose(),
  };
}
