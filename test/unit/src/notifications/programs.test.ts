import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { programFor } from '../../../../src/notifications/programs.ts';

/** Text that would be code, markup or an option where it is not kept apart. */
const title = '--urgency=critical "; $(touch /tmp/x) `id` \' & <b>';
const line = '</text><b>bold</b> & "quoted" \'$env:PATH\'';

// No machine with macOS or Windows runs these tests: for them the tables say what would be started.
describe('the program that shows a notification', () => {
  it('is notify-send on Linux, which reads no option in the text and no markup in the line', () => {
    assert.deepEqual(programFor('linux', title, line), {
      command: 'notify-send',
      args: [
        '--app-name=Switchboard',
        '--',
        title,
        '&lt;/text&gt;&lt;b&gt;bold&lt;/b&gt; &amp; "quoted" \'$env:PATH\'',
      ],
    });
  });

  it('is osascript on macOS, whose script gets the text as arguments', () => {
    const program = programFor('darwin', title, line);
    assert.equal(program?.command, 'osascript');
    assert.deepEqual(program?.args, [
      '-e',
      'on run argv',
      '-e',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      '-e',
      'end run',
      title,
      line,
    ]);
  });

  it('is PowerShell on Windows, whose script gets the text in its environment', () => {
    const program = programFor('win32', title, line);
    assert.equal(program?.command, 'powershell.exe');
    assert.deepEqual(program?.env, { SWITCHBOARD_TITLE: title, SWITCHBOARD_LINE: line });
    assert.equal(program?.args.join(' ').includes('touch'), false);
    assert.match(
      program?.args.at(-1) ?? '',
      /CreateTextNode\(\$env:SWITCHBOARD_TITLE\).*CreateTextNode\(\$env:SWITCHBOARD_LINE\)/,
    );
  });

  it('is missing on other systems', () => {
    assert.equal(programFor('aix', title, line), undefined);
  });
});
