import"./chunk-JBL3GTWL.js";import{a as e}from"./chunk-ZXUWJKPO.js";import"./chunk-HOQCTQEQ.js";for(let o of document.querySelectorAll("[data-live]"))e(o);
