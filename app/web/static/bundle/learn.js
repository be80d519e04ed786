import{a as e}from"./chunk-PBRX67JV.js";import"./chunk-ILIUVROU.js";import"./chunk-THWXMZRR.js";import"./chunk-EI5W7GQF.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
