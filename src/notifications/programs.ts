/** A program that shows a notification, and what it is given. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the environment of the window. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Shows the text as it is on the platform: no part of it is code, markup, or an option of the program.
 * @returns `undefined` where there is no program for it
 */
export function programFor(platform: NodeJS.Platform, title: string, line: string): Program | undefined {
  switch (platform) {
    case 'linux':
    case 'freebsd':
    case 'openbsd':
      return { command: 'notify-send', args: ['--app-name=Switchboard', '--', title, escapeMarkup(line)] };
    case 'darwin':
      return { command: 'osascript', args: [...appleScript.flatMap((it) => ['-e', it]), title, line] };
    case 'win32':
      return {
        command: 'powershell.exe',
        args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-Command', powerShell],
        env: { SWITCHBOARD_TITLE: title, SWITCHBOARD_LINE: line },
      };
    default:
      return undefined;
  }
}

/** Servers of notifications read the line as markup, and not the title. */
function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** The text comes as arguments of the script, which is why it cannot become part of it. */
const appleScript = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];

/** The text comes in the environment, and goes into nodes of the document as text. */
const powerShell = [
  '$ErrorActionPreference = "Stop"',
  '[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]',
  '$kind = [Windows.UI.Notifications.ToastTemplateType]::ToastText02',
  '$document = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent($kind)',
  '$texts = $document.GetElementsByTagName("text")',
  '[void]$texts.Item(0).AppendChild($document.CreateTextNode($env:SWITCHBOARD_TITLE))',
  '[void]$texts.Item(1).AppendChild($document.CreateTextNode($env:SWITCHBOARD_LINE))',
  '$toast = [Windows.UI.Notifications.ToastNotification]::new($document)',
  '[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier("Switchboard").Show($toast)',
].join('; ');
