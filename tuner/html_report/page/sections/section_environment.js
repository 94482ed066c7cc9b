"use strict";

Sections.push({
  id: "environment",
  title: "Environment",

  draw(body, workload) {
    const gpu = workload.form.gpu;
    const sessions = workload.form.sessions;
    const environment = sessions[sessions.length - 1]?.environment ?? {};
    const known = (value, text) => (value > 0 ? text : "-");
    const rows = [
      ["kernel", `${workload.form.kernel}${workload.form.kernel_hash ? `, source ${workload.form.kernel_hash.slice(0, 12)}` : ""}`],
      ["problem", Object.entries(workload.form.problem).map(([name, value]) => `${name}=${value}`).join(" ") || "-"],
      ["data from", workload.form.origin],
      ["GPU", gpu.name || "-"],
      ["chip", [gpu.chip, gpu.compute_major > 0 ? `compute capability ${gpu.compute_major}.${gpu.compute_minor}` : ""].filter((part) => part).join(", ") || "-"],
      ["SMs", known(gpu.sm_count, `${gpu.sm_count} at up to ${digits(gpu.max_clock_khz / 1000, 4)} MHz`)],
      ["L2 cache", `${gpu.l2_bytes > 0 ? `${digits(gpu.l2_bytes / 1048576)} MiB, ` : ""}${workload.form.cache === "unknown" ? "in an unknown state" : workload.form.cache} before each timed launch`],
      ["device memory", known(gpu.memory_bandwidth_bytes_per_s, `${withPrefix(gpu.memory_bandwidth_bytes_per_s, "B/s")} in theory`)],
      ...workload.form.roofs.map((roof) => [`roof: ${roof.name}`, `${withPrefix(roof.per_second, roof.kind === "memory" ? "B/s" : "FLOP/s")}${roof.measured ? " measured" : " in theory"}`]),
      ["driver", known(environment.driver_version, `${environment.driver_release ? `${environment.driver_release}, ` : ""}for CUDA ${cudaVersion(environment.driver_version)}`)],
      ["NVRTC", known(environment.nvrtc_version, cudaVersion(environment.nvrtc_version))],
      ["clocks", known(environment.sm_clock_mhz, `SM ${environment.sm_clock_mhz} MHz, memory ${environment.memory_clock_mhz} MHz`)],
      ["throttle reasons", environment.throttle_reasons || "-"],
      ["warptune", environment.warptune_version || "-"],
    ];
    const said = rows.filter(([, text]) => text !== "-");
    body.append(table("Where and how it was measured", ["", ""], said, [], { class: "facts" }));
    const stored = sessions.filter((session) => session.id > 0);
    if (stored.length === 0) return;
    body.append(element("h3", {}, "Sessions"), table("Sessions of this workload",
      ["session", "started", "strategy", "seed", "budget", "objective", "evaluations", "took", "best"],
      stored.map((session) => [
        String(session.id), dateText(session.started_ms), session.strategy + (session.replayed ? " (replayed)" : session.imported ? " (imported)" : ""), String(session.seed), session.budget || "-",
        session.objective, session.evaluations.toLocaleString("en"), secondsText(session.elapsed_s),
        timeText(session.best_so_far.time_ns[session.best_so_far.time_ns.length - 1]),
      ]), [3, 6, 7, 8]));
  },
});
