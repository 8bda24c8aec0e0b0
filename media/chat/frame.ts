import { html, type TemplateResult } from 'lit';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';

/** The page's fixed parts. Everything else is filled in by the first model. */
export function drawFrame(): TemplateResult {
  return html`
    <main>
      <h1 class="hidden">${t('Chat')}</h1>
      <div id="side-title" hidden></div>
      <chat-tabs></chat-tabs>
      <chat-find></chat-find>
      <div id="log" role="log" aria-live="off" aria-label=${t('Conversation')} tabindex="-1">
        <div id="welcome" hidden>
          ${icon('comment-discussion')}
          <h2>${t('What would you like to do?')}</h2>
          <ul>
            <li><kbd>/</kbd> ${t('runs a runbook or command')}</li>
            <li><kbd>@</kbd> ${t('adds a file to the message')}</li>
            <li><kbd>Esc</kbd> ${t('stops the agent')}</li>
          </ul>
          <button type="button" id="add-agent" class="button" hidden>${t('Add Agent…')}</button>
        </div>
        <div id="turns"></div>
        <div id="activity" aria-hidden="true"></div>
      </div>
      <div id="foot">
        <button type="button" id="to-end" class="icon-button codicon codicon-arrow-down" aria-label=${t('Scroll to the end')} title=${t('Scroll to the end')} hidden></button>
        <chat-banners></chat-banners>
        <chat-plan></chat-plan>
        <chat-composer></chat-composer>
      </div>
      <div id="polite" class="hidden" role="status" aria-live="polite"></div>
      <div id="assertive" class="hidden" role="alert" aria-live="assertive"></div>
    </main>
  `;
}
