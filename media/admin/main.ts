import './kit/language.ts';
import './admin.css';
import * as z from 'zod';
import { Api } from './api.ts';
import { AppElement } from './app.ts';
import { routesOf } from './gateway.ts';
import { browserPlace, useBrowserLanguage, webviewPlace } from './place.ts';

// The pages may not make code of text, and zod need not try.
z.config({ jitless: true });

const isBrowser = document.documentElement.dataset['place'] === 'browser';
if (isBrowser) await useBrowserLanguage();
const place = isBrowser ? browserPlace() : await webviewPlace();
const api = new Api(place.transport);
const app = new AppElement();
app.start({ api, place, routes: routesOf(api) });
document.body.append(app);
