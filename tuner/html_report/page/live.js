"use strict";

// Keeps the page of a running session up to date (`warptune tune --watch`). Each state of the session has a revision. The page asks
// for one that is newer than its own, and the program answers as soon as it has one.
const Live = {
  page: Math.random().toString(36).slice(2),
  shownRevision: 0,
  notice: element("span", { id: "live", role: "status" }),
  answered: 0,  // When the last answer came, in the time of performance.now().
  attempts: 30,  // After this many failed requests, one every two seconds, the page assumes that the program has ended.

  endings: {
    finished: "The session has ended. This is its last state.",
    interrupted: "The session was interrupted. This is its last state.",
    failed: "The session failed. This is its last state.",
  },

  pause(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
  },

  // Says how the session stands, at the top of the page.
  say(state, text) {
    document.documentElement.dataset.live = state;
    if (Live.notice.textContent !== text) Live.notice.textContent = text;
  },

  sayProgress(headers) {
    const done = headers.get("Warptune-Done");
    const share = done ? `, ${Math.round(100 * Number(done))} % done` : "";
    Live.say("running", `The session runs: ${headers.get("Warptune-Evaluated")} evaluated${share}.`);
  },

  // Waits until the page is visible: before that, a redraw would be wasted.
  async untilVisible() {
    while (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
  },

  // The address of a request. `away_ms` is the time since the last answer, which the page spent on drawing and pausing. If a page is
  // away for much longer, the program treats it as closed.
  question() {
    return `data?after=${Live.shownRevision}&page=${Live.page}&away_ms=${Math.round(performance.now() - Live.answered)}`;
  },

  async ask() {
    const question = Live.question();
    for (let attempt = 0; attempt < Live.attempts; ++attempt) {
      try {
        const answer = await fetch(question, { cache: "no-store" });
        Live.answered = performance.now();
        return answer;
      } catch {
        await Live.pause(2000);
      }
    }
    return null;
  },

  async draw(report) {
    await Live.untilVisible();
    const begin = performance.now();
    await render(report);
    // A page that takes long to draw asks less often.
    return 2 * (performance.now() - begin);
  },

  // Returns whether the session still runs.
  async update() {
    const answer = await Live.ask();
    if (answer === null || (!answer.ok && answer.status !== 500)) {
      Live.say("lost", `There is no answer from the session any more. This is its state of ${new Date().toLocaleTimeString()}.`);
      return false;
    }
    if (answer.status === 204) return true;
    if (answer.status === 500) {
      await Live.pause(2000);
      return true;
    }
    const state = answer.headers.get("Warptune-State");
    const report = await answer.json();
    Live.shownRevision = Number(answer.headers.get("Warptune-Revision"));
    if (state === "running") {
      Live.sayProgress(answer.headers);
      await Live.pause(await Live.draw(report));
      return true;
    }
    fetch(Live.question()).catch(() => {});  // This request says that the page has the last state, so the program need not wait for it.
    await Live.draw(report);
    Live.say(state, Live.endings[state]);
    return false;
  },

  async start(revision) {
    Live.shownRevision = revision;
    document.getElementById("theme").before(Live.notice);
    Live.say("running", "The session runs.");
    // A page that closes says so, so that the program does not wait for it at its end.
    addEventListener("pagehide", () => { fetch(`${Live.question()}&closed=1`, { keepalive: true }).catch(() => {}); });
    await Page.started;
    while (await Live.update());
  },
};
