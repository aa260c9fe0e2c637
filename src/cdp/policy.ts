/** Decides whether a command to a lent browser is forwarded, acknowledged here, or refused. */

import { canParseUrl, parseUrl } from "../shared/urls.ts";

export interface ClientCommand {
  id: number;
  method: string;
  params: Record<string, unknown>;
  sessionId?: string;
}

export type Judgement =
  | { kind: "pass"; params: Record<string, unknown> }
  /** Acknowledged with success, but not forwarded. */
  | { kind: "answer" }
  /** Acknowledged with success; the connection is then closed. */
  | { kind: "close" }
  | { kind: "refuse"; message: string };

const refuse = (message: string): Judgement => ({ kind: "refuse", message });

type Rule = (params: Record<string, unknown>) => Judgement | undefined;

/** Chromium's maximum and default size per read, in bytes. */
const streamReadMax = 10 * 1024 * 1024;

/** Permissions that expose neither the machine's files nor devices such as cameras. */
const permissions = new Set(
  "accessibilityEvents backgroundFetch backgroundSync clipboardReadWrite clipboardSanitizedWrite durableStorage geolocation idleDetection notifications periodicBackgroundSync sensors storageAccess topLevelStorageAccess wakeLockScreen".split(
    " ",
  ),
);

/** Commands that are acknowledged but not carried out: client libraries send them by default and fail if they are refused. */
const acknowledged: Record<string, Rule> = {
  // Downloads stay denied in every browser context.
  "Browser.setDownloadBehavior": () => ({ kind: "answer" }),
  "Page.setDownloadBehavior": () => ({ kind: "answer" }),
  // Certificates are still verified.
  "Security.setIgnoreCertificateErrors": () => ({ kind: "answer" }),
  "Browser.close": () => ({ kind: "close" }),
};

/** Rules for acknowledged commands, and rules that check or rewrite the parameters of allowed commands. */
const rules: Record<string, Rule> = {
  ...acknowledged,
  "Page.navigate": (params) => withUrl(params),
  "Target.createTarget": (params) => (params.url === "" ? undefined : withUrl(params)),
  "Fetch.continueRequest": (params) => (params.url === undefined ? undefined : withUrl(params)),
  "Target.attachToTarget": flattened,
  "Target.setAutoAttach": (params) => (params.autoAttach === false ? undefined : flattened(params)),
  "Target.createBrowserContext": (params) => {
    const other = Object.keys(params).find((name) => name !== "disposeOnDetach");
    return other === undefined
      ? undefined
      : refuse(`${other} is not accepted: all contexts share the browser's network access and permissions.`);
  },
  "Browser.grantPermissions": ({ permissions: wanted }) => {
    const other = Array.isArray(wanted) ? wanted.find((name) => !permissions.has(name)) : undefined;
    if (other === undefined) return undefined;
    const name = typeof other === "string" ? other : JSON.stringify(other); // JSON may have its own `toString`
    return refuse(`The permission ${name.slice(0, 50)} can't be granted here.`);
  },
  "Input.dispatchDragEvent": ({ data }) => {
    const { files } = Object(data) as { files?: unknown };
    return files === undefined || (Array.isArray(files) && files.length === 0) ? undefined : refuse("Local files can't be dropped.");
  },
  "IO.read": ({ size }) =>
    size === undefined || (typeof size === "number" && size <= streamReadMax) ? undefined : refuse(`size may be at most ${streamReadMax}.`),
};

/** The parsed command is reserialized before it is forwarded, so that Chromium parses exactly what was checked here. */
export function judgeCommand({ method, params }: ClientCommand): Judgement {
  const rule = Object.hasOwn(rules, method) ? rules[method] : undefined;
  if (rule === undefined && !allowedMethods.has(method))
    return refuse(`${method.slice(0, 80)} is not available: a lent browser accepts only commands that act on its own pages.`);
  return rule?.(params) ?? { kind: "pass", params };
}

/** Allows only flattened sessions: in nested ones, commands are strings inside other commands, which would bypass the checks. */
function flattened({ flatten }: Record<string, unknown>): Judgement | undefined {
  return flatten === true ? undefined : refuse("flatten must be true: commands of nested sessions are not accepted.");
}

/** Chromium refuses longer ones. Parsing 8 MB, which a command may have, can take 0.3 s. */
const urlLengthMax = 2 * 1024 * 1024;

/** Replaces `url` with its normalized form. Malformed URLs are refused with Chromium's wording, which client libraries match. */
function withUrl(params: Record<string, unknown>): Judgement {
  if (typeof params.url === "string" && params.url.length > urlLengthMax)
    return refuse(`Cannot navigate to invalid URL: url may have at most ${urlLengthMax} characters.`);
  const url = openableUrl(params.url);
  if (url === undefined) {
    const isNone = typeof params.url === "string" && !canParseUrl(params.url);
    return refuse(
      `${isNone ? "Cannot navigate to invalid URL: " : ""}url must be an absolute http, https, data or blob URL, or about:blank.`,
    );
  }
  return { kind: "pass", params: { ...params, url } };
}

/**
 * The normalized URL if it refers to the network, to inline data or to the page's own blobs; undefined for all other URLs, such as `file:`,
 * `chrome:` and `about:version`. Normalized so that Chromium can't parse it differently.
 */
export function openableUrl(text: unknown): string | undefined {
  const url = typeof text === "string" ? parseUrl(text) : null;
  if (!url) return undefined;
  if (url.protocol === "about:") return url.pathname === "blank" ? url.href : undefined;
  if (url.protocol === "blob:") return /^blob:(https?:|null)/.test(url.href) ? url.href : undefined;
  return /^(https?|data):$/.test(url.protocol) ? url.href : undefined;
}

/** Whether a client may attach to the target. Targets other than web pages, such as Chromium's own pages, may have more privileges. */
export function isOwnTarget(url: string): boolean {
  return url === "" || /^(https?|data|blob|about|chrome-error):/.test(url);
}

/**
 * Commands that a lent browser accepts, since they act only on its own pages. Everything else is refused, including commands added in
 * later versions of Chromium.
 */
const byDomain: Record<string, string> = {
  Accessibility: "disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode queryAXTree",
  Animation:
    "disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation seekAnimations setPaused setPlaybackRate setTiming",
  Audits: "disable enable",
  Browser: "cancelDownload getVersion getWindowBounds getWindowForTarget grantPermissions resetPermissions setWindowBounds",
  CSS: "addRule collectClassNames createStyleSheet disable enable forcePseudoState getBackgroundColors getComputedStyleForNode getInlineStylesForNode getLayersForNode getMatchedStylesForNode getMediaQueries getPlatformFontsForNode getStyleSheetText setStyleSheetText setStyleTexts startRuleUsageTracking stopRuleUsageTracking takeCoverageDelta",
  CacheStorage: "deleteCache deleteEntry requestCacheNames requestCachedResponse requestEntries",
  Console: "clearMessages disable enable",
  DOM: "collectClassNamesFromSubtree copyTo describeNode disable discardSearchResults enable focus getAnchorElement getAttributes getBoxModel getContainerForNode getContentQuads getDocument getFlattenedDocument getFrameOwner getNodeForLocation getNodeStackTraces getNodesForSubtreeByStyle getOuterHTML getRelayoutBoundary getSearchResults getTopLayerElements hideHighlight highlightNode highlightRect markUndoableState moveTo performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector querySelectorAll redo removeAttribute removeNode requestChildNodes requestNode resolveNode scrollIntoViewIfNeeded setAttributeValue setAttributesAsText setInspectedNode setNodeName setNodeStackTracesEnabled setNodeValue setOuterHTML undo",
  DOMDebugger:
    "getEventListeners removeDOMBreakpoint removeEventListenerBreakpoint removeXHRBreakpoint setDOMBreakpoint setEventListenerBreakpoint setXHRBreakpoint",
  DOMSnapshot: "captureSnapshot disable enable getSnapshot",
  DOMStorage: "clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem",
  Debugger:
    "continueToLocation disable enable evaluateOnCallFrame getPossibleBreakpoints getScriptSource getStackTrace pause removeBreakpoint resume searchInContent setAsyncCallStackDepth setBlackboxPatterns setBlackboxedRanges setBreakpoint setBreakpointByUrl setBreakpointsActive setInstrumentationBreakpoint setPauseOnExceptions setReturnValue setScriptSource setSkipAllPauses setVariableValue stepInto stepOut stepOver",
  DeviceOrientation: "clearDeviceOrientationOverride setDeviceOrientationOverride",
  Emulation:
    "canEmulate clearDeviceMetricsOverride clearDevicePostureOverride clearGeolocationOverride clearIdleOverride resetPageScaleFactor setAutoDarkModeOverride setAutomationOverride setCPUThrottlingRate setDefaultBackgroundColorOverride setDeviceMetricsOverride setDevicePostureOverride setDisabledImageTypes setDocumentCookieDisabled setEmitTouchEventsForMouse setEmulatedMedia setEmulatedVisionDeficiency setFocusEmulationEnabled setGeolocationOverride setHardwareConcurrencyOverride setIdleOverride setLocaleOverride setNavigatorOverrides setPageScaleFactor setSafeAreaInsetsOverride setScriptExecutionDisabled setScrollbarsHidden setTimezoneOverride setTouchEmulationEnabled setUserAgentOverride setVirtualTimePolicy setVisibleSize",
  Fetch:
    "continueRequest continueResponse continueWithAuth disable enable failRequest fulfillRequest getResponseBody takeResponseBodyAsStream",
  HeapProfiler: "collectGarbage disable enable",
  IO: "close read resolveBlob",
  IndexedDB:
    "clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable getMetadata requestData requestDatabase requestDatabaseNames",
  Input:
    "cancelDragging dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent emulateTouchFromMouseEvent imeSetComposition insertText setIgnoreInputEvents setInterceptDrags synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture",
  Inspector: "disable enable",
  Log: "clear disable enable startViolationsReport stopViolationsReport",
  Media: "disable enable",
  Memory: "getDOMCounters",
  Network:
    "canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions clearBrowserCache clearBrowserCookies deleteCookies disable emulateNetworkConditions emulateNetworkConditionsByRule enable getAllCookies getCertificate getCookies getRequestPostData getResponseBody getSecurityIsolationStatus overrideNetworkState replayXHR searchInResponseBody setAttachDebugStack setBlockedURLs setBypassServiceWorker setCacheDisabled setCookie setCookies setExtraHTTPHeaders setUserAgentOverride streamResourceContent",
  Overlay: "disable enable hideHighlight highlightFrame highlightNode highlightQuad highlightRect setShowViewportSizeOnResize",
  Page: "addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront captureScreenshot captureSnapshot clearDeviceMetricsOverride clearGeolocationOverride close createIsolatedWorld deleteCookie disable enable getAppManifest getFrameTree getLayoutMetrics getNavigationHistory getPermissionsPolicyState getResourceContent getResourceTree handleJavaScriptDialog navigate navigateToHistoryEntry printToPDF reload removeScriptToEvaluateOnLoad removeScriptToEvaluateOnNewDocument resetNavigationHistory screencastFrameAck searchInResource setAdBlockingEnabled setBypassCSP setDeviceMetricsOverride setDocumentContent setFontFamilies setFontSizes setGeolocationOverride setInterceptFileChooserDialog setLifecycleEventsEnabled setPrerenderingAllowed setTouchEmulationEnabled setWebLifecycleState startScreencast stopLoading stopScreencast",
  Performance: "disable enable getMetrics setTimeDomain",
  PerformanceTimeline: "enable",
  Profiler:
    "disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop stopPreciseCoverage takePreciseCoverage",
  Runtime:
    "addBinding awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate getExceptionDetails getHeapUsage getIsolateId getProperties globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup removeBinding runIfWaitingForDebugger runScript setAsyncCallStackDepth setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture terminateExecution",
  Security: "disable enable",
  ServiceWorker: "disable enable setForceUpdateOnPageLoad skipWaiting startWorker stopAllWorkers stopWorker unregister updateRegistration",
  Storage:
    "clearCookies clearDataForOrigin clearDataForStorageKey getCookies getStorageKey getStorageKeyForFrame getUsageAndQuota setCookies",
  Target:
    "activateTarget attachToBrowserTarget attachToTarget autoAttachRelated closeTarget createBrowserContext createTarget detachFromTarget disposeBrowserContext getBrowserContexts getTargetInfo getTargets setAutoAttach setDiscoverTargets",
  WebAuthn:
    "addCredential addVirtualAuthenticator clearCredentials disable enable getCredential getCredentials removeCredential removeVirtualAuthenticator setAutomaticPresenceSimulation setResponseOverrideBits setUserVerified",
};

/** Full names, such as `Page.navigate`. */
export const allowedMethods: ReadonlySet<string> = new Set(
  Object.entries(byDomain).flatMap(([domain, names]) => names.split(" ").map((name) => `${domain}.${name}`)),
);
