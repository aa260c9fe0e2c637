/**
 * Allowlist of DevTools protocol commands for lent browsers: those that act only on the browser's own pages. Everything else is refused,
 * including commands that later versions of Chromium add.
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

/** `Page.navigate`, … */
export const allowedMethods: ReadonlySet<string> = new Set(
  Object.entries(byDomain).flatMap(([domain, names]) => names.split(" ").map((name) => `${domain}.${name}`)),
);
