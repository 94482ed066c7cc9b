"use strict";

// Links to a configuration: `#workload=TITLE&configuration=A=1,B=2`, percent-encoded. A comma, an equals sign or a backslash in a
// value has a backslash before it.
const Links = {
  of(workload, row) {
    const escaped = (text) => text.replace(/[\\,=]/g, "\\$&");
    const configuration = workload.parameters.map((parameter, p) => `${escaped(parameter.name)}=${escaped(workload.value(p, row))}`).join(",");
    const fragment = `workload=${encodeURIComponent(workload.title)}&configuration=${encodeURIComponent(configuration)}`;
    return `${location.href.split("#")[0]}#${fragment}`;
  },

  // The configuration that the address names, as { workload, wanted: { NAME: text } }, or null.
  read() {
    let parts;
    try {
      parts = new Map(location.hash.slice(1).split("&").map((part) => part.split("=")).map(([name, ...value]) => [name, decodeURIComponent(value.join("="))]));
    } catch {
      return null;  // Not a link of this page: its percent signs encode nothing.
    }
    if (!parts.has("configuration")) return null;
    const plain = (text) => text.replace(/\\(.)/g, "$1");
    const pairs = (parts.get("configuration").match(/(?:\\.|[^\\,])+/g) ?? []).map((pair) => pair.match(/^((?:\\.|[^\\=])*)=(.*)$/s)).filter((pair) => pair);
    return { workload: parts.get("workload") ?? "", wanted: Object.fromEntries(pairs.map(([, name, value]) => [plain(name), plain(value)])) };
  },

  // Puts the link into the address bar, without a step in the history.
  write(workload, row) {
    Links.replace(Links.of(workload, row));
  },

  clear() {
    if (Links.read() !== null) Links.replace(location.href.split("#")[0]);
  },

  replace(address) {
    try {
      history.replaceState(null, "", address);
    } catch (error) {
      console.info(`The address stays as it is: ${error}`);  // Some browsers refuse for files.
    }
  },

  // Shows the configuration that the address names. If it is missing, a line at the top of the page says so.
  async follow() {
    const notice = document.getElementById("notice");
    notice.textContent = "";
    const link = Links.read();
    if (link === null) {
      if (Page.sections().some(({ id }) => `#${id}` === location.hash)) document.querySelector(location.hash).scrollIntoView();
      return;
    }
    const workload = Page.workloads.find(({ title }) => title === link.workload) ?? (Page.workloads.length === 1 ? Page.workloads[0] : null);
    if (workload === null) {
      notice.textContent = `The link is to ${link.workload || "a workload"}, which this report does not have.`;
      return;
    }
    if (workload !== Page.workload) await Page.choose(workload);
    const row = workload.find(link.wanted);
    if (row === null) notice.textContent = "The link is to a configuration that this report does not have.";
    else Detail.show(workload, row);
  },
};
