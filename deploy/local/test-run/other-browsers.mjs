import fs from 'node:fs';
import process from 'node:process';
import { findProgram } from '../provide/find-program.mjs';

// Browsers other than Chromium, which end-to-end tests use where they are installed. The functions return the paths as
// environment variables for the tests.

/** Searched after the folders of PATH. */
const ADDITIONAL_FOLDERS = ['/usr/bin'];
/** In Debian, this folder has a subfolder for each architecture, such as `x86_64-linux-gnu`. */
const LIBRARY_FOLDER = '/usr/lib';
/** Matches the name of the folder where Debian installs MiniBrowser, the browser that the WebKit driver automates. */
const MINI_BROWSER_FOLDER_PATTERN = /^webkit2gtk-4\.[01]$/;

/**
 * Finds a Firefox, for tests that use WebDriver BiDi.
 * @returns {{FIREFOX_PATH: string} | undefined}
 */
export function findFirefox() {
  const firefox = process.env.FIREFOX_PATH || findProgram(['firefox-esr', 'firefox'], ADDITIONAL_FOLDERS);
  return firefox ? { FIREFOX_PATH: firefox } : undefined;
}

/**
 * Finds WebKitGTK's driver, the browser that the driver starts, and Xvfb, a virtual display for the browser.
 * @returns {{WEBKIT_DRIVER_PATH: string, WEBKIT_BROWSER_PATH: string, XVFB_PATH: string} | undefined}
 */
export function findWebKit() {
  const driver = process.env.WEBKIT_DRIVER_PATH || findProgram(['WebKitWebDriver'], ADDITIONAL_FOLDERS);
  const browser = process.env.WEBKIT_BROWSER_PATH || findMiniBrowser();
  const display = process.env.XVFB_PATH || findProgram(['Xvfb'], ADDITIONAL_FOLDERS);
  if (!driver || !browser || !display) return undefined;
  return { WEBKIT_DRIVER_PATH: driver, WEBKIT_BROWSER_PATH: browser, XVFB_PATH: display };
}

function findMiniBrowser() {
  const folders = listMatching(LIBRARY_FOLDER, /-linux-gnu/).flatMap((folder) =>
    listMatching(folder, MINI_BROWSER_FOLDER_PATTERN),
  );
  return findProgram(['MiniBrowser'], folders);
}

/** Lists the paths of the entries of a folder whose names match. Empty if the folder does not exist. */
function listMatching(folder, pattern) {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => pattern.test(name));
  return names.map((name) => `${folder}/${name}`);
}
