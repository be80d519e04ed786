import{a as e}from"./chunk-ONIPIL7A.js";import"./chunk-KU2XRZ2W.js";import"./chunk-ILIUVROU.js";for(let n of document.querySelectorAll("[data-learning]"))e(n);
