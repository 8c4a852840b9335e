/** Starts the app in the browser, in the HTML of the server if there is any. In StrictMode everything is mounted twice. */
import { createElement, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { ReactApp, type ReactAppProps } from './react-app.ts';

window.log = [];
const container = document.querySelector('#app') as HTMLElement;
const props = JSON.parse(container.dataset.props ?? '') as ReactAppProps;
const app = createElement(StrictMode, null, createElement(ReactApp, props));
if (container.hasChildNodes()) hydrateRoot(container, app);
else createRoot(container).render(app);
